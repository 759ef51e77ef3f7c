// Limits on waiting. What a page waits for has none by itself, so that a measurement whose moment never comes would hang for ever: here it fails, and
// says where.

/** What a wait that took too long ends with. */
export class Late extends Error {}

/** What a promise gives, if it does so in time; `what` names the row, and what of it is waited for. */
export async function within(seconds, what, promise) {
  let timer;
  const late = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new Late(`${what}: not done after ${seconds} s`)), seconds * 1_000);
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}

/** Measures, tidies up and ends the program: with what was measured on standard output, or with the reason why it was not. */
export async function finish(measuring, tidyUp) {
  let code = 0;
  try {
    // A pipe takes what is written to it when it can.
    const text = JSON.stringify(await measuring());
    await new Promise((resolve) => process.stdout.write(text + "\n", resolve));
  } catch (error) {
    console.error(`    failed: ${error.message}`);
    code = 1;
  }
  // A browser that hangs must not keep the program, nor the rows after this one.
  await within(30, "tidying up", tidyUp()).catch((error) => console.error(`    ${error.message}`));
  process.exit(code);
}
