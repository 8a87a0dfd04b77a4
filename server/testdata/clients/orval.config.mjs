export default {
  roughcut: {
    input: 'openapi.json',
    output: { target: 'orval.ts', client: 'fetch', baseUrl: { getBaseUrlFromSpecification: true } },
  },
}
