function two(number: number): string {
  return String(number).padStart(2, "0");
}

/** A moment as the value of a datetime-local field, in the reader's time zone. */
export function localMoment(seconds: number): string {
  const at = new Date(seconds * 1000);
  const date = `${String(at.getFullYear()).padStart(4, "0")}-${two(at.getMonth() + 1)}-${two(at.getDate())}`;
  return `${date}T${two(at.getHours())}:${two(at.getMinutes())}`;
}
