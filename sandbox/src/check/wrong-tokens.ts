/** Returns API tokens that are almost `token`, and one that is nothing like it. */
export function wrongTokens(token: string): readonly { token: string; what: string }[] {
  const last = token.at(-1) === 'x' ? 'y' : 'x';
  return [
    { token: 'not-a-token', what: 'a token that it never issued' },
    { token: `${token}x`, what: 'the API token with a character more' },
    { token: token.slice(0, -1), what: 'the API token with a character less' },
    { token: token.slice(0, -1) + last, what: 'the API token with another last character' },
  ];
}
