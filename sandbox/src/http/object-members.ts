export function withoutUndefined<Given extends object>(
  given: Given,
): { [Member in keyof Given]: Exclude<Given[Member], undefined> } {
  return Object.fromEntries(
    Object.entries(given).filter(([, value]) => value !== undefined),
  ) as never;
}
