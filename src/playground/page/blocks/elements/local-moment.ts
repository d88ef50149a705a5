function two(number: number): string {
  return String(number).padStart(2, "0");
}

/** A moment as the browser's field for it has it: in the reader's own zone, without saying so. */
export function localMoment(seconds: number): string {
  const at = new Date(seconds * 1000);
  const date = `${String(at.getFullYear()).padStart(4, "0")}-${two(at.getMonth() + 1)}-${two(at.getDate())}`;
  return `${date}T${two(at.getHours())}:${two(at.getMinutes())}`;
}
