import { requestText } from "./send-raw.ts";

/** One thing that nobody but the page itself may get away with. */
export interface Attempt {
  readonly group: string;
  readonly name: string;
  /** The request, byte for byte. */
  readonly bytes: string;
}

export interface Target {
  readonly port: number;
  /** The right one: most attempts have it, and fail all the same. */
  readonly token: string;
  /** A token that an earlier server had. */
  readonly oldToken: string;
  readonly run: string;
  /** The body by which the page adopts the run. */
  readonly adoption: string;
  /** What a night proposes, waiting. */
  readonly proposal: string;
  /** An address of this machine that is not the loopback's. */
  readonly otherAddress: string;
}

/** Everything that is tried over a bare connection. */
export const listAttempts = (target: Target): readonly Attempt[] => [
  ...foreignHosts(target),
  ...foreignOrigins(target),
  ...wrongTokens(target),
  ...strangePaths(target),
  ...strangeRefs(target),
  ...otherMethods(target),
  ...wrongBodies(target),
  ...nightChanges(target),
];

type Header = readonly [string, string | undefined];

/** A request that would be answered, with these headers over or besides its own. */
function request(
  { port, token }: Target,
  more: readonly Header[] = [],
  { method, target = "/api/runs", body }: { method?: string; target?: string; body?: string } = {},
): string {
  const own: readonly Header[] = [
    ["Host", `127.0.0.1:${port}`],
    ["Authorization", `Bearer ${token}`],
  ];
  const given = new Set(more.map(([name]) => name));
  const headers = [...own.filter(([name]) => !given.has(name)), ...more];
  return requestText({ method, target, headers, body });
}

const named = (group: string, all: Readonly<Record<string, string>>): readonly Attempt[] =>
  Object.entries(all).map(([name, bytes]) => ({ group, name, bytes }));

function foreignHosts(to: Target): readonly Attempt[] {
  const { port, otherAddress } = to;
  const hosts = {
    "a foreign name": "evil.example",
    "a rebound name with our port": `rebound.example:${port}`,
    "our address as a label of another name": `127.0.0.1.evil.example:${port}`,
    "our name as a label of another name": `localhost.evil.example:${port}`,
    "a name that resolves to loopback": `127.0.0.1.nip.io:${port}`,
    "no port": "127.0.0.1",
    "another port": `127.0.0.1:${port === 80 ? 81 : 80}`,
    "the IPv6 loopback": `[::1]:${port}`,
    "all addresses": `0.0.0.0:${port}`,
    "another loopback address": `127.0.0.2:${port}`,
    "the loopback as one number": `2130706433:${port}`,
    "the machine's other address": `${otherAddress}:${port}`,
    "a user before the host": `127.0.0.1:${port}@evil.example`,
    "a dot behind the name": `localhost.:${port}`,
    "an empty one": "",
  };
  const withHost = Object.entries(hosts).map(([name, host]) => [name, request(to, [["Host", host]])]);
  return named("Host", {
    ...Object.fromEntries(withHost),
    "none at all": request(to, [["Host", undefined]]),
    "none at all, HTTP/1.0": request(to, [["Host", undefined]]).replace("HTTP/1.1", "HTTP/1.0"),
    "two, ours first": request(to, [
      ["Host", `127.0.0.1:${port}`],
      ["Host", "evil.example"],
    ]),
    "ours only as X-Forwarded-Host": request(to, [
      ["Host", "evil.example"],
      ["X-Forwarded-Host", `127.0.0.1:${port}`],
    ]),
    "a foreign one in the request line": request(to, [], { target: "http://evil.example/api/runs" }),
    "a foreign one for the page": request(to, [["Host", `evil.example:${port}`]], { target: "/" }),
  });
}

function foreignOrigins(to: Target): readonly Attempt[] {
  const { port, run, adoption } = to;
  const origins = {
    "another site": "http://evil.example",
    null: "null",
    "https on our port": `https://127.0.0.1:${port}`,
    "another port": "http://127.0.0.1:1",
    "the other name of this server": `http://localhost:${port}`,
    "our address as a label": `http://127.0.0.1:${port}.evil.example`,
    "a file": "file://",
    "an extension": "chrome-extension://abcdefghijklmnopabcdefghijklmnop",
    "an empty one": "",
  };
  const withOrigin = Object.entries(origins).map(([name, origin]) => [
    name,
    request(to, [["Origin", origin]]),
  ]);
  const change = { method: "POST", target: `/api/proposals/${run}/adopt`, body: adoption };
  const json: readonly Header[] = [
    ["Content-Type", "application/json"],
    ["Content-Length", String(adoption.length)],
  ];
  return named("Origin", {
    ...Object.fromEntries(withOrigin),
    "two, ours first": request(to, [
      ["Origin", `http://127.0.0.1:${port}`],
      ["Origin", "http://evil.example"],
    ]),
    "adopt from another site": request(to, [["Origin", "http://evil.example"], ...json], change),
    "adopt from null": request(to, [["Origin", "null"], ...json], change),
    "adopt from another port": request(to, [["Origin", "http://127.0.0.1:1"], ...json], change),
    "a fetch from another site": request(to, [["Sec-Fetch-Site", "cross-site"]]),
    "a fetch from another port": request(to, [["Sec-Fetch-Site", "same-site"]]),
    "the page, from a link of another site": request(to, [["Sec-Fetch-Site", "cross-site"]], { target: "/" }),
    "adopt by a fetch from another site": request(to, [["Sec-Fetch-Site", "cross-site"], ...json], change),
  });
}

function wrongTokens(to: Target): readonly Attempt[] {
  const { token, oldToken, run, adoption: body } = to;
  const none: readonly Header[] = [["Authorization", undefined]];
  const offered = {
    "an empty one": "Bearer ",
    "a wrong one": `Bearer ${"A".repeat(token.length)}`,
    "all but its last character": `Bearer ${token.slice(0, -1)}`,
    "one character too many": `Bearer ${token}A`,
    "in small letters": `Bearer ${token.toLowerCase()}0`,
    "of an earlier server": `Bearer ${oldToken}`,
    "as a password": `Basic ${Buffer.from(`:${token}`).toString("base64")}`,
    "without a scheme": token,
    "a word of JavaScript": "Bearer undefined",
    "two in one": `Bearer ${oldToken}, Bearer ${token}`,
  };
  const withToken = Object.entries(offered).map(([name, value]) => [
    name,
    request(to, [["Authorization", value]]),
  ]);
  const json: readonly Header[] = [
    ["Content-Type", "application/json"],
    ["Content-Length", String(body.length)],
  ];
  const places = [
    "/api/runs",
    `/api/runs/${run}`,
    `/api/runs/${run}/steps/0`,
    `/api/runs/${run}/rollouts?ref=test_eval_best%230`,
  ];
  return named("token", {
    ...Object.fromEntries(
      places.map((target) => [`none, ${target.replace(run, "…")}`, request(to, none, { target })]),
    ),
    "none, adopt": request(to, [...none, ...json], {
      method: "POST",
      target: `/api/proposals/${run}/adopt`,
      body,
    }),
    "none, undo": request(to, [...none, ["Content-Type", "application/json"], ["Content-Length", "2"]], {
      method: "POST",
      target: `/api/proposals/${run}/undo`,
      body: "{}",
    }),
    ...Object.fromEntries(withToken),
    "two headers": request(to, [
      ["Authorization", `Bearer ${token}`],
      ["Authorization", `Bearer ${token}`],
    ]),
    "in the query": request(to, none, { target: `/api/runs?token=${token}` }),
    "as access_token": request(to, none, { target: `/api/runs?access_token=${token}` }),
    "in a cookie": request(to, [...none, ["Cookie", `token=${token}; whetstone-token=${token}`]]),
    "in a header of another name": request(to, [...none, ["X-Token", token], ["X-Api-Key", token]]),
    "for a proxy": request(to, [...none, ["Proxy-Authorization", `Bearer ${token}`]]),
    "in the path": request(to, none, { target: `/api/runs/${token}` }),
    "in the referrer": request(to, [...none, ["Referer", `http://127.0.0.1/?token=${token}`]]),
    "the page with a wrong one": request(to, none, { target: `/?token=${oldToken}` }),
    "the page with an empty one": request(to, none, { target: "/?token=" }),
  });
}

const secretFile = "etc/passwd";

function strangePaths(to: Target): readonly Attempt[] {
  const { run } = to;
  const up = "../".repeat(8);
  const paths = [
    `/${up}${secretFile}`,
    `/api/runs/${up}${secretFile}`,
    `/api/runs/${run}/${up}${secretFile}`,
    `/${"%2e%2e/".repeat(8)}${secretFile}`,
    `/${"%2e%2e%2f".repeat(8)}${secretFile}`,
    `/api/runs/${"%2E%2E%2F".repeat(8)}${secretFile}`,
    `/api/runs/${"%252e%252e%252f".repeat(8)}${secretFile}`,
    `/api/runs/${"%25252e%25252e%25252f".repeat(8)}${secretFile}`,
    `/api/runs/${"..%5c".repeat(8)}etc%5cpasswd`,
    `/api/runs/${"..\\".repeat(8)}etc\\passwd`,
    `/api/runs/${"..%c0%af".repeat(8)}${secretFile}`,
    `/api/runs/${"..%u2215".repeat(8)}${secretFile}`,
    `/api/runs/${"....//".repeat(8)}${secretFile}`,
    `/api/runs/${"..;/".repeat(8)}${secretFile}`,
    `/api/runs/${run}%00`,
    `/api/runs/${run}%00.json`,
    `/api/runs/${run}\0`,
    `/api/runs/${run}%20`,
    `/api/runs/${run}%2fsteps%2f0`,
    `/api/runs/${run}/steps/%2e%2e`,
    `/api/runs/${run}/steps/0%00`,
    `/api/runs/${run}/steps/-1`,
    `/api/runs/${run}/steps/1e0`,
    `/api/runs/${run}/steps/0x0`,
    `/api/runs/${run}/steps/999999`,
    `/api/runs/${run}/steps/99999999999999999999`,
    `/api/runs/${run.slice(0, -1)}`,
    `/api/runs/${run.toUpperCase()}_`,
    "/api/runs/__proto__",
    "/api/runs/constructor",
    "/api/runs/prototype",
    "/api/runs/toString",
    "/api/runs/hasOwnProperty",
    "/api/runs/__proto__/steps/0",
    "/api/runs/.",
    "/api/runs/..",
    "/api/runs//",
    "//etc/passwd",
    "/etc/passwd",
    "/index.html",
    "/package.json",
    "/.git/config",
    "/.whetstone/journal.db",
    "/journal.db",
    "/C:/Windows/win.ini",
    "/file:///etc/passwd",
    "*",
  ];
  return named(
    "path",
    Object.fromEntries(
      paths.map((target) => [JSON.stringify(target.replace(run, "…")), request(to, [], { target })]),
    ),
  );
}

function strangeRefs(to: Target): readonly Attempt[] {
  const refs = [
    "",
    "#0",
    "../../../../../../etc/passwd#0",
    "/etc/passwd#0",
    "..\\..\\..\\..\\etc\\passwd#0",
    "steps/../../../../../../etc/passwd#0",
    "test_eval_best/../../../targets#0",
    "%2e%2e%2f%2e%2e%2fetc%2fpasswd#0",
    "test_eval_best\0#0",
    "test_eval_best#-1",
    "test_eval_best#999999",
    "test_eval_best#__proto__",
    "test_eval_best#constructor",
    "test_eval_best#0/../../x",
    "__proto__#0",
    "constructor#0",
    "config.json#0",
    "file:///etc/passwd#0",
    "https://evil.example/#0",
    "C:\\Windows\\win.ini#0",
  ];
  return named(
    "ref",
    Object.fromEntries(
      refs.flatMap((ref) => {
        const target = `/api/runs/${to.run}/rollouts?ref=`;
        const once = request(to, [], { target: `${target}${encodeURIComponent(ref)}` });
        const twice = request(to, [], { target: `${target}${encodeURIComponent(encodeURIComponent(ref))}` });
        return [
          [JSON.stringify(ref), once] as const,
          ...(ref === "" ? [] : [[`${JSON.stringify(ref)} encoded twice`, twice] as const]),
        ];
      }),
    ),
  );
}

function otherMethods(to: Target): readonly Attempt[] {
  const { port, run } = to;
  const adopt = `/api/proposals/${run}/adopt`;
  const methods = ["HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "PROPFIND"];
  const preflight: readonly Header[] = [
    ["Authorization", undefined],
    ["Origin", "http://evil.example"],
    ["Access-Control-Request-Method", "POST"],
    ["Access-Control-Request-Headers", "authorization, content-type"],
    ["Access-Control-Request-Private-Network", "true"],
  ];
  const override: readonly Header[] = [
    ["X-HTTP-Method-Override", "POST"],
    ["X-Method-Override", "POST"],
  ];
  const upgrade: readonly Header[] = [
    ["Authorization", undefined],
    ["Upgrade", "websocket"],
    ["Sec-WebSocket-Version", "13"],
    ["Sec-WebSocket-Key", "dGhlIHNhbXBsZSBub25jZQ=="],
  ];
  return named("method", {
    ...Object.fromEntries(
      methods.map((method) => [`${method} /api/runs`, request(to, [["Content-Length", "0"]], { method })]),
    ),
    ...Object.fromEntries(
      ["GET", "PUT", "DELETE", "HEAD"].map((method) => [
        `${method} adopt`,
        request(to, [], { method, target: adopt }),
      ]),
    ),
    "GET adopt that says it is POST": request(to, override, { target: adopt }),
    "GET adopt with ?_method=POST": request(to, [], { target: `${adopt}?_method=POST` }),
    "CONNECT through it": request(to, [], { method: "CONNECT", target: "evil.example:443" }),
    "preflight from another site": request(to, preflight, { method: "OPTIONS", target: adopt }),
    "preflight without an Origin": request(to, [["Authorization", undefined]], {
      method: "OPTIONS",
      target: adopt,
    }),
    "preflight from our own origin": request(to, [["Origin", `http://127.0.0.1:${port}`]], {
      method: "OPTIONS",
      target: adopt,
    }),
    "a web socket": request(to, upgrade),
    "HTTP/2 by prior knowledge": "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
    "no HTTP at all": "\u0016\u0003\u0001\u0002\0\u0001\0\u0001\u00FC\u0003\u0003",
  });
}

function wrongBodies(to: Target): readonly Attempt[] {
  const { run, adoption } = to;
  const target = `/api/proposals/${run}/adopt`;
  const post = (body: string, more: readonly Header[] = []): string =>
    request(
      to,
      [
        ...(more.some(([name]) => name === "Content-Type")
          ? []
          : [["Content-Type", "application/json"] as const]),
        ...(more.some(([name]) => name === "Content-Length")
          ? []
          : [["Content-Length", String(body.length)] as const]),
        ...more,
      ],
      { method: "POST", target, body },
    );
  /** All but these words as the page sends it. */
  const but = (words: string): string => adoption.replace('"unproven":true', words);
  const chunked: readonly Header[] = [
    ["Content-Length", undefined],
    ["Transfer-Encoding", "chunked"],
  ];
  return named("body", {
    "as plain text": post(adoption, [["Content-Type", "text/plain"]]),
    "as a form": post("unproven=true", [["Content-Type", "application/x-www-form-urlencoded"]]),
    "as a form with files": post(adoption, [["Content-Type", "multipart/form-data; boundary=x"]]),
    "as JSON of another kind": post(adoption, [["Content-Type", "text/json"]]),
    "of two types": post(adoption, [["Content-Type", "application/json, text/plain"]]),
    "of no type": post(adoption, [["Content-Type", undefined]]),
    "of two megabytes": post(but(`"unproven":${" ".repeat(2e6)}true`)),
    "that says it is huge": post(adoption, [["Content-Length", "99999999999"]]),
    "of a negative length": post(adoption, [["Content-Length", "-1"]]),
    "of unknown length": post(adoption, [["Content-Length", undefined]]),
    "in pieces": post(`${adoption.length.toString(16)}\r\n${adoption}\r\n0\r\n\r\n`, chunked),
    "with both kinds of length": post(`0\r\n\r\nGET /api/runs HTTP/1.1\r\n\r\n`, [
      ["Transfer-Encoding", "chunked"],
    ]),
    "with two lengths": post(adoption, [
      ["Content-Length", String(adoption.length)],
      ["Content-Length", "2"],
    ]),
    "that is empty": post(""),
    "that is no JSON": post("{unproven:true}"),
    "that is a list": post("[true]"),
    "that is null": post("null"),
    "that is a word": post('"unproven"'),
    "with a word for a flag": post(but('"unproven":"yes"')),
    "with a number for a flag": post(but('"unproven":1')),
    "with a key too many": post(but('"unproven":true,"folder":"/etc"')),
    "with a prototype": post(but('"__proto__":{"unproven":true},"x":1')),
    "for a run that is not there": post(adoption).replace(target, "/api/proposals/0000000000000000/adopt"),
    "for the run __proto__": post(adoption).replace(target, "/api/proposals/__proto__/adopt"),
    "behind a question": request(to, [["Content-Length", String(adoption.length)]], { body: adoption }),
    "headers of 20 kB": request(to, [["X-Padding", "x".repeat(20_000)]]),
    "a line of 20 kB": request(to, [], { target: `/api/runs?${"x".repeat(20_000)}` }),
  });
}

/** Reading and changing what a night proposes: nobody but the page, with nothing but the right body. */
function nightChanges(to: Target): readonly Attempt[] {
  const { port, oldToken, proposal } = to;
  const path = `/api/proposals/${proposal}`;
  const post = (act: string, body: unknown, more: readonly Header[] = []): string => {
    const text = JSON.stringify(body);
    const json: readonly Header[] = [
      ["Content-Type", "application/json"],
      ["Content-Length", String(text.length)],
    ];
    const given = new Set(more.map(([name]) => name));
    const headers = [...json.filter(([name]) => !given.has(name)), ...more];
    return request(to, headers, { method: "POST", target: `${path}/${act}`, body: text });
  };
  /** Bodies that would be taken from the page. */
  const acts = {
    decide: { decisions: {} },
    adopt: { shown: "0".repeat(64), acknowledge: [], merge: true, unproven: true },
    reject: { reason: "not wanted" },
    undo: {},
  };
  const strangers: Readonly<Record<string, readonly Header[]>> = {
    "without a token": [["Authorization", undefined]],
    "with the token of an earlier server": [["Authorization", `Bearer ${oldToken}`]],
    "from another site": [["Origin", "http://evil.example"]],
    "from null": [["Origin", "null"]],
    "from another port": [["Origin", "http://127.0.0.1:1"]],
    "by a fetch from another site": [["Sec-Fetch-Site", "cross-site"]],
    "under a rebound name": [["Host", `rebound.example:${port}`]],
    "as plain text": [["Content-Type", "text/plain"]],
    "as a form": [["Content-Type", "application/x-www-form-urlencoded"]],
  };
  const foreign = Object.entries(acts).flatMap(([act, body]) => [
    ...Object.entries(strangers).map(([who, headers]) => [`${act} ${who}`, post(act, body, headers)]),
    [`GET ${act}`, request(to, [], { target: `${path}/${act}` })],
    [`PUT ${act}`, request(to, [["Content-Length", "0"]], { method: "PUT", target: `${path}/${act}` })],
    [`${act} with a key too many`, post(act, { ...body, path: "/etc/passwd" })],
    [`${act} of another proposal`, post(act, body).replace(proposal, "0009-nothing-000000")],
    [`${act} of __proto__`, post(act, body).replace(proposal, "__proto__")],
    [`${act} of a path`, post(act, body).replace(proposal, "%2e%2e%2f%2e%2e%2fetc")],
  ]);
  const questions = ["/api/proposals", path, "/api/nights", "/api/nights/0003/report"].flatMap((target) => [
    [`${target} without a token`, request(to, [["Authorization", undefined]], { target })],
    [`${target} from another site`, request(to, [["Origin", "http://evil.example"]], { target })],
    [`POST ${target}`, request(to, [["Content-Length", "0"]], { method: "POST", target })],
  ]);
  return named("night", {
    ...Object.fromEntries([...foreign, ...questions]),
    "adopt without a hash": post("adopt", { unproven: true, merge: true }),
    "adopt with half a hash": post("adopt", { ...acts.adopt, shown: "0".repeat(32) }),
    "adopt with a word for a power": post("adopt", { ...acts.adopt, acknowledge: "all" }),
    "decide with a list": post("decide", { decisions: [] }),
    "decide on a rule that is not there": post("decide", { decisions: { nothing: { deed: "accept" } } }),
    "decide in another word": post("decide", { decisions: { nothing: { deed: "love" } } }),
    "decide with a megabyte": post("decide", {
      decisions: { nothing: { deed: "edit", text: "x".repeat(1e6) } },
    }),
    "reject without a reason": post("reject", { reason: " " }),
    "a night by a path": request(to, [], { target: `/api/nights/${"../".repeat(6)}etc/report` }),
    "a night that is not there": request(to, [], { target: "/api/nights/__proto__/report" }),
  });
}
