/** Who may import whom (README, "Layout"). */
module.exports = {
  forbidden: [
    {
      name: 'domain-knows-no-door',
      severity: 'error',
      from: { path: '^src/domain' },
      to: {
        path: '^(schema|rest)/|(^|node_modules/)(express|@apollo|graphql|type-graphql|graphql-jit)(/|$)',
      },
    },
    {
      name: 'infrastructure-knows-no-domain',
      severity: 'error',
      from: { path: '^src/infrastructure' },
      to: { path: '^(schema|rest)/|^src/domain/|^src/(main|server|store|doors)\\.ts$' },
    },
    {
      name: 'schema-knows-no-rest',
      severity: 'error',
      from: { path: '^schema' },
      to: { path: '^rest/|^src/(main|server|store|doors)\\.ts$' },
    },
    {
      name: 'nouns-and-rest-know-no-graphql-door',
      severity: 'error',
      from: { path: '^(src|schema|rest)', pathNot: '^(src/doors\\.ts$|schema/door/)' },
      to: { path: '^schema/door/' },
    },
    {
      name: 'only-the-composition-root-starts',
      severity: 'error',
      from: { pathNot: '^(src/(main|server)\\.ts|test/)' },
      to: { path: '^src/(main|server|store|doors)\\.ts$' },
    },
    {
      name: 'rest-writes-no-sql',
      severity: 'error',
      from: { path: '^rest' },
      to: { path: '(^|node_modules/)(sequelize|pg)(/|$)|^src/infrastructure/database' },
    },
    {
      name: 'schema-writes-no-sql',
      severity: 'error',
      from: { path: '^schema' },
      to: { path: '(^|node_modules/)(sequelize|pg)(/|$)|^src/infrastructure/database' },
    },
    {
      // The compiler of operations is a tenth of a start: it comes with Apollo Server, after the server is ready.
      // operationCache needs its types alone.
      name: 'compiler-is-loaded-late',
      severity: 'error',
      from: { path: '^(src|schema|rest)', pathNot: '^schema/door/(apollo|operationCache)\\.ts$' },
      to: { path: '^schema/door/executor\\.ts$' },
    },
    {
      name: 'no-circles',
      severity: 'error',
      from: { path: '^(src|schema|rest|migrations)' },
      to: { circular: true, viaOnly: { dependencyTypesNot: ['type-only'] } },
    },
    {
      // What several nouns' tests share stands in the harness, which leans on none of them.
      name: 'harness-knows-no-noun',
      severity: 'error',
      from: { path: '^test/harness/' },
      to: { path: '^test/(?!harness/)' },
    },
    {
      name: 'product-needs-no-test',
      severity: 'error',
      from: { path: '^(src|schema|rest)' },
      to: { path: '^test/' },
    },
  ],
  options: {
    parser: 'swc',
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '^dist' },
    tsPreCompilationDeps: true,
    enhancedResolveOptions: { extensions: ['.ts', '.js', '.cjs', '.mjs', '.json'] },
  },
};
