const button = document.getElementById("count");
let presses = 0;

button.addEventListener("click", () => {
  presses += 1;
  button.textContent = presses === 1 ? "Pressed once" : `Pressed ${presses} times`;
});
