// Runs in a page of another site: everything that a script there can try against the server on this machine.
// Gives what it could read, or what happened that should not, for each attempt; null when nothing did.

globalThis.tryAll = async ({ port, token, run, adoption: body, proposal }) => {
  const root = `http://127.0.0.1:${port}`;
  const page = `${root}/?token=${token}`;
  const adopt = `${root}/api/proposals/${run}/adopt`;
  const authorization = `Bearer ${token}`;
  const json = { authorization, "content-type": "application/json" };
  const attempts = {
    "fetch the page": () => read(`${root}/`),
    "fetch the page with the token": () => read(page),
    "fetch data": () => read(`${root}/api/runs`),
    "fetch data with the token": () => read(`${root}/api/runs`, { headers: { authorization } }),
    "fetch data with credentials": () => read(`${root}/api/runs`, { credentials: "include" }),
    "fetch without CORS": () => read(page, { mode: "no-cors" }),
    "fetch by the other name": () =>
      read(`http://localhost:${port}/api/runs`, { headers: { authorization } }),
    "adopt with the token": () => read(adopt, { method: "POST", body, headers: json }),
    "adopt as plain text": () =>
      read(adopt, { method: "POST", mode: "no-cors", body, headers: { "content-type": "text/plain" } }),
    "adopt by a beacon": async () => {
      navigator.sendBeacon(adopt, new Blob([body], { type: "text/plain" }));
      return null;
    },
    "adopt by a form": () => submitForm(adopt, body),
    "read what a night proposes": () =>
      read(`${root}/api/proposals/${proposal}`, { headers: { authorization } }),
    "reject what a night proposes": () =>
      read(`${root}/api/proposals/${proposal}/reject`, {
        method: "POST",
        body: JSON.stringify({ reason: "no" }),
        headers: json,
      }),
    "an image": () => load("img", "src", page),
    "a script": () => load("script", "src", page),
    "a style sheet": () => load("link", "href", page),
    "a frame": () => readFrame(page),
    "a window": () => readWindow(page),
    "server-sent events": () => open(new EventSource(`${root}/api/runs/${run}?token=${token}`)),
    "a web socket": () => open(new WebSocket(`ws://127.0.0.1:${port}/api/runs?token=${token}`)),
    "a worker": () => open(new Worker(page), "message"),
  };
  const got = {};
  for (const [name, attempt] of Object.entries(attempts)) {
    const patience = wait(1500).then(() => null);
    got[name] = await Promise.race([Promise.resolve().then(attempt), patience]).catch(() => null);
  }
  return got;
};

const wait = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

async function read(url, init) {
  const response = await fetch(url, init);
  return (await response.text()) || null;
}

function open(channel, event = "open") {
  return new Promise((resolve) => {
    channel.addEventListener(event, () => resolve(`${event} happened`));
    channel.addEventListener("error", () => resolve(null));
  });
}

function load(tag, attribute, url) {
  const element = Object.assign(document.createElement(tag), { [attribute]: url, rel: "stylesheet" });
  const loaded = open(element, "load");
  document.body.append(element);
  return loaded;
}

async function readFrame(url) {
  const frame = Object.assign(document.createElement("iframe"), { src: url });
  const loaded = open(frame, "load");
  document.body.append(frame);
  await loaded;
  return frame.contentDocument?.body?.textContent || null;
}

async function readWindow(url) {
  const opened = window.open(url);
  await wait(500);
  const text = opened?.document.body.textContent || null;
  opened?.close();
  return text;
}

/** A form can send text that reads as JSON. */
async function submitForm(action, body) {
  const frame = Object.assign(document.createElement("iframe"), { name: "target" });
  const form = Object.assign(document.createElement("form"), {
    method: "POST",
    enctype: "text/plain",
    action,
    target: "target",
  });
  form.append(
    Object.assign(document.createElement("input"), { name: `${body.slice(0, -1)},"x":"`, value: '"}' }),
  );
  document.body.append(frame, form);
  form.submit();
  await wait(300);
  return null;
}
