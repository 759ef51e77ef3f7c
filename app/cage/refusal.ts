// Why a request was not carried out, as a sentence that the app passes on.

export class Refusal extends Error {}

/** What the Python side gives where it may refuse: whether it did not, and a text. */
export function accepted([good, text]: [boolean, string]): string {
  if (!good) throw new Refusal(text);
  return text;
}
