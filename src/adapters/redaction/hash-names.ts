/** Names of ids, hashes, addresses and similar. Their values may look random, but nobody can log in with them. */
export const hashNames: ReadonlySet<string> = new Set(
  `id ids uuid guid hash hashes sha sha1 sha224 sha256 sha384 sha512 md5 integrity checksum digest commit rev revision etag version resolved url uri href src
  path file files image img data alphabet chars characters charset http https sum fingerprint thumbprint model at nonce build layer blob tree object chunk
  asset cache trace traceparent span request req msg message toolu call thread run job task batch snapshot release docker container pod vol volume node ref
  chatcmpl resp rs fc asst ses evt cus ch in sub price prod acct cs seti pm src card ba txn po item step conv org proj user usr prj dpl team wf exec x509 ssh rsa
  ed25519 mappings sources font woff woff2 svg png jpg gif css js ts html json xml slug locale lang icon fix branch merge patch feature backup tmp temp`.split(
    /\s+/,
  ),
);

/** The name just before a value, at the end of a text: `name = "`, `"name": "`. */
export const nameBefore = (before: string): string =>
  /([\w.-]+)["'`]?\s{0,4}(?::=|=>|[=:])\s{0,4}["'`]?$/.exec(before)?.[1] ?? "";
