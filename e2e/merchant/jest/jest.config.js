export default { testMatch: ['**/*.test.{js,cjs}'], transform: {} };
