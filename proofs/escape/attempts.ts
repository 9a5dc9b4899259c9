/**
 * One way out. The script prints what it gets; it has escaped when that holds a secret of the host or the word
 * ESCAPED, or when the host was visited, changed or hurt.
 */
export interface Attempt {
  readonly name: string;
  readonly script: string;
  /** Works without a box: run there too, so that a way that leads nowhere at all is noticed. */
  readonly works?: boolean;
  /** The variable without which it cannot be tried. */
  readonly needs?: string;
}

const node = (program: string): string => `node --input-type=module -e '${program}'`;

const connect = (where: string): string =>
  node(`import net from "node:net";
    const socket = net.connect(${where}, () => socket.write("GET /visit HTTP/1.0\\r\\n\\r\\n"));
    socket.setTimeout(2000, () => socket.destroy(new Error("no answer")));
    socket.on("data", (piece) => console.log(String(piece))).on("error", (error) => console.log(error.code ?? error.message));`);

/** Raw bytes to the proxy: nothing between the agent and it. */
const raw = (head: string, body = '{"model":"m","messages":[]}'): string =>
  node(`import net from "node:net";
    const { port } = new URL(process.env.BASE_URL ?? "http://127.0.0.1:1");
    const body = ${JSON.stringify(body)};
    const head = ${JSON.stringify(head)}.replace("HOST_PORT", process.env.HOST_PORT);
    const socket = net.connect(port, "127.0.0.1", () => socket.write(head + "content-length: " + body.length + "\\r\\nconnection: close\\r\\n\\r\\n" + body));
    socket.setTimeout(3000, () => socket.destroy());
    socket.on("data", (piece) => console.log(String(piece))).on("error", (error) => console.log(error.code));`);

const post = "POST /v1/chat/completions HTTP/1.1\r\nhost: 127.0.0.1\r\n";

const fetchByTool = raw(
  post,
  JSON.stringify({ model: "m", messages: [], tools: [{ type: "web_fetch_20250910", name: "f" }] }),
);
const fetchByImage = raw(
  post,
  JSON.stringify({
    model: "m",
    messages: [
      { role: "user", content: [{ type: "image", source: { type: "url", url: "http://evil.example" } }] },
    ],
  }),
);

export const attempts: readonly Attempt[] = [
  // reading
  {
    name: "read ~/.ssh",
    works: true,
    script: "cat $PRIVATE/.ssh/* $HOST_HOME/.ssh/* /root/.ssh/* /home/*/.ssh/*",
  },
  { name: "list the host's home", script: "ls -A $HOST_HOME && echo ESCAPED" },
  {
    name: "read the environment of host processes",
    works: true,
    script:
      "cat /proc/*/environ /proc/$VICTIM/environ /proc/1/environ /proc/self/environ | tr '\\0' '\\n'; env",
  },
  {
    name: "read another task's answers",
    works: true,
    script: "cat $PRIVATE/tasks/* ../*/answers.json ../../*/answers.json",
  },
  { name: "read the grader's folder", works: true, script: "cat $PRIVATE/grader/* $GRADER/* /grader/*" },
  {
    name: "find any of it by name",
    works: true,
    // the near folder first, each file at once: a slow disk must not make the control look vain
    script:
      "find $PRIVATE / -maxdepth 5 -xdev \\( -name id_ed25519 -o -name answers.json -o -name expected.txt \\) -exec cat {} \\; 2>/dev/null",
  },
  {
    name: "read through /proc/self/root, /proc/1/root and cwd",
    works: true,
    script:
      'for p in self 1 $VICTIM $SELF; do cat "/proc/$p/root$PRIVATE/untouched.txt" "/proc/$p/cwd/../private/untouched.txt"; done',
  },
  {
    name: "read memory of a host process",
    script: "head -c 1 /proc/$VICTIM/maps && echo ESCAPED; head -c 1 /proc/$SELF/maps && echo ESCAPED",
  },
  {
    name: "use a descriptor that was left open",
    script:
      "for fd in /proc/self/fd/*; do t=$(readlink $fd); case $t in /proc/*|pipe:*|/dev/null|anon_inode:*|socket:*|'') ;; *) echo ESCAPED $t;; esac; done",
  },
  {
    name: "read disks and kernel memory",
    script:
      "for d in /dev/sda /dev/vda /dev/nvme0n1 /dev/mem /dev/kmsg /dev/port /proc/kcore; do head -c 1 $d >/dev/null 2>&1 && echo ESCAPED $d; done; mknod disk b 254 0 && head -c 1 disk >/dev/null && echo ESCAPED mknod; mknod /tmp/disk b 8 0 && echo ESCAPED mknod",
  },
  {
    name: "read the kernel's keyring of the user",
    works: true,
    needs: "KERNEL_KEY",
    script: `perl -e 'print syscall(250, 8, int $ENV{KEYRING}, -2), " $!\\n"; my $value = " " x 64; print syscall(250, 11, int $ENV{KERNEL_KEY}, $value, 64), " $! $value\\n"'; cat /proc/keys`,
  },
  // writing
  { name: "write outside", works: true, script: "echo changed > $PRIVATE/untouched.txt; touch $PRIVATE/new" },
  {
    name: "write to the system",
    script:
      "for f in /x /usr/bin/x /usr/local/bin/x /etc/x /bin/x /opt/x /run/x /dev/x /home/x; do touch $f && echo ESCAPED $f; done; echo evil >> /etc/passwd && echo ESCAPED",
  },
  {
    name: "replace node on PATH",
    script:
      'n=$(command -v node); case $n in /opt/whetstone/*) (cp /bin/true "$n" || mv /bin/true "$n" || rm -f "$n") && echo ESCAPED;; esac',
  },
  {
    name: "write through a symbolic link",
    works: true,
    script:
      "ln -s $PRIVATE out && echo changed > out/untouched.txt; ln -s $PRIVATE/untouched.txt f && echo changed > f",
  },
  {
    name: "leave a link for the harvest to follow",
    script:
      "ln -s $PRIVATE/untouched.txt stolen.txt; ln -s $PRIVATE folder; ln -s /proc/self/environ environ.txt",
  },
  {
    name: "make a hard link to a host file",
    works: true,
    script:
      "ln $PRIVATE/untouched.txt hard && cat hard; ln /proc/1/root$PRIVATE/untouched.txt hard2 && cat hard2",
  },
  {
    name: "climb out of the workspace",
    works: true,
    script:
      "cat ../private/untouched.txt ../../private/untouched.txt; cd ../..; cat */untouched.txt */*/untouched.txt",
  },
  {
    name: "turn switches of the kernel",
    script:
      "for s in kernel/core_pattern kernel/modprobe vm/swappiness fs/file-max; do v=$(cat /proc/sys/$s) && (printf '%s' \"$v\" > /proc/sys/$s) 2>/dev/null && echo ESCAPED $s; done; (echo h > /proc/sysrq-trigger) 2>/dev/null && echo ESCAPED sysrq",
  },
  {
    name: "reach cgroups and sysfs",
    script: "ls /sys/* && echo ESCAPED; mkdir /sys/fs/cgroup/x && echo ESCAPED",
  },
  // network
  {
    name: "connect to a server on the host's loopback",
    works: true,
    script: connect('Number(process.env.HOST_PORT), "127.0.0.1"'),
  },
  {
    name: "connect to the host's address",
    works: true,
    script: connect("Number(process.env.HOST_PORT), process.env.HOST_ADDRESS"),
  },
  {
    name: "connect to an address on the internet",
    script: `${connect('443, "1.1.1.1"')} | grep -v ENETUNREACH && echo ESCAPED`,
  },
  {
    name: "ask the cloud's metadata service",
    script: `${connect('80, "169.254.169.254"')} | grep -v ENETUNREACH && echo ESCAPED`,
  },
  {
    name: "resolve a name",
    script: node(
      `import dns from "node:dns"; dns.resolve4("example.com", (error) => console.log(error ? error.code : "ESCAPED")); dns.lookup("example.com", (error) => console.log(error ? error.code : "ESCAPED"));`,
    ),
  },
  {
    name: "send a datagram to the host",
    works: true,
    script: node(
      `import { createSocket } from "node:dgram"; const s = createSocket("udp4"); s.send("x", Number(process.env.HOST_UDP), "127.0.0.1", () => setTimeout(() => s.close(), 200));`,
    ),
  },
  {
    name: "connect to a unix socket of the host",
    works: true,
    script: connect('process.env.PRIVATE + "/agent.sock"'),
  },
  {
    name: "bring an interface up",
    script:
      "ip link add e0 type dummy && echo ESCAPED; ip link set eth0 up && echo ESCAPED; ls /sys/class/net && echo ESCAPED; test \"$(grep -c : /proc/net/dev)\" -gt 1 && grep -v 'lo:' /proc/net/dev | grep : && echo ESCAPED",
  },
  // the proxy
  {
    name: "ask the proxy for another host",
    script:
      raw("POST /v1/chat/completions HTTP/1.1\r\nhost: evil.example\r\n") +
      "; " +
      raw("POST /visit HTTP/1.1\r\nhost: 127.0.0.1:HOST_PORT\r\n"),
  },
  {
    name: "ask the proxy with an absolute target",
    script:
      raw("POST http://127.0.0.1:HOST_PORT/visit HTTP/1.1\r\nhost: 127.0.0.1\r\n") +
      "; " +
      raw("GET http://127.0.0.1:HOST_PORT/visit HTTP/1.1\r\nhost: 127.0.0.1:HOST_PORT\r\n"),
  },
  {
    name: "tunnel with CONNECT",
    script: raw(
      "CONNECT 127.0.0.1:HOST_PORT HTTP/1.1\r\nhost: 127.0.0.1:HOST_PORT\r\n",
      "GET /visit HTTP/1.0\r\n\r\n",
    ),
  },
  {
    name: "a host name with NUL, IDN and userinfo",
    script: [
      "127.0.0.1\u0000.evil",
      "127.0.0.1@127.0.0.1:HOST_PORT",
      "xn--80ak6aa92e.com",
      "１２７.0.0.1:HOST_PORT",
    ]
      .map((host) => raw(`POST /v1/chat/completions HTTP/1.1\r\nhost: ${host}\r\n`))
      .join("; "),
  },
  {
    name: "a second request hidden in the first",
    script: raw(
      `POST /v1/chat/completions HTTP/1.1\r\nhost: 127.0.0.1\r\ntransfer-encoding: chunked\r\n`,
      "0\r\n\r\nGET /admin HTTP/1.1\r\nhost: 127.0.0.1\r\n\r\n",
    ),
  },
  {
    name: "another path of the provider",
    script: [
      "/admin",
      "/v1/../admin",
      "/v1/files",
      "//127.0.0.1:HOST_PORT/visit",
      "/v1/messages/../../admin",
      "/v1/models",
    ]
      .map((path) => raw(`POST ${path} HTTP/1.1\r\nhost: 127.0.0.1\r\n`))
      .join("; "),
  },
  { name: "follow the provider's redirect", script: raw(`${post}user-agent: redirect\r\n`) },
  {
    name: "read the key from repeated headers",
    script: `${raw(post)}; ${raw(`${post}user-agent: fail\r\n`)}; env; cat /proc/*/environ /proc/*/cmdline | tr '\\0' '\\n'`,
  },
  {
    name: "smuggle headers to the provider",
    script: `${raw(`${post}x-forwarded-host: evil\r\nauthorization: Bearer mine\r\nconnection: authorization\r\n`)} > seen; cat seen; grep -E "x-forwarded-host|Bearer mine" seen && echo ESCAPED`,
  },
  {
    name: "let the provider fetch a page",
    script: `( ${fetchByTool}; ${fetchByImage} ) > seen; cat seen; grep -q "200 OK" seen && echo ESCAPED`,
  },
  {
    name: "replace the way to the proxy",
    script:
      "rm -f /run/whetstone/model.sock && echo ESCAPED; mv /run/whetstone /tmp/ && echo ESCAPED; chmod 777 /run/whetstone/model.sock && echo ESCAPED",
  },
  // other processes, privileges
  { name: "kill host processes", works: true, script: "kill -9 $VICTIM" },
  {
    name: "kill whatever can be killed",
    script: "kill -9 -1; for p in $SELF $VICTIM; do kill -9 $p; kill -9 -$p; done",
  },
  {
    name: "trace a host process",
    works: true,
    script: 'perl -e \'print syscall(101, 16, int $ENV{VICTIM}, 0, 0) == 0 ? "ESCAPED\\n" : "$!\\n"\'',
  },
  {
    name: "write events in the name of the process that called it",
    works: true,
    needs: "MAY_TRACE",
    script: `perl -e 'close STDOUT; my $other = syscall(434, getppid, 0); my $output = syscall(438, $other, 1, 0);
      my $text = "ESCAPED forged\n"; syscall(1, $output, $text, length $text); print STDERR "$!\n"'; :`,
  },
  {
    name: "write into the memory of the process that called it",
    works: true,
    needs: "MAY_TRACE",
    script: `perl -e 'my $other = getppid; open(my $memory, "+<", "/proc/$other/mem") and print "ESCAPED mem\n"; print STDERR "$!\n";
      syscall($_, $other, 0, 0, 0, 0, 0) == 0 and print "ESCAPED $_\n" for 310, 311'; :`,
  },
  {
    name: "open the output of the process that called it",
    script: "sh -c '(echo ESCAPED > /proc/$PPID/fd/1) >/dev/null'; :",
  },
  {
    name: "learn paths of the host from the first process",
    script:
      'cat /proc/1/cmdline /proc/1/environ | tr "\\0" "\\n" | grep -F -e "${PRIVATE%/private}" -e "$HOST_HOME/" -e "PATH=" | grep -v PRIVATE && echo ESCAPED; :',
  },
  {
    name: "mount",
    script:
      "mkdir -p m; mount -t tmpfs x m && echo ESCAPED; mount --bind / m && echo ESCAPED; mount -o remount,rw / && echo ESCAPED; mount -o remount,rw /usr && echo ESCAPED; umount -l /home/dev/project && echo ESCAPED; umount -l /proc/sys && echo ESCAPED",
  },
  {
    name: "make namespaces of its own",
    script:
      "unshare -U true && echo ESCAPED; unshare -Urm mount -t tmpfs x /tmp && echo ESCAPED; unshare -n true && echo ESCAPED; command -v bwrap >/dev/null && bwrap --bind / / --unshare-user true && echo ESCAPED",
  },
  {
    name: "enter namespaces of the host",
    script:
      "nsenter -t 1 -m -u -i -n -p cat $PRIVATE/untouched.txt; nsenter -t $SELF -m cat $PRIVATE/untouched.txt; chroot /proc/1/root cat $PRIVATE/untouched.txt",
  },
  {
    name: "become root with su, sudo or a setuid file",
    script:
      "su -c id </dev/null | grep uid=0 && echo ESCAPED; sudo -n id && echo ESCAPED; cp /bin/sh s; chmod 4755 s; ./s -c id | grep -E 'uid=0|euid=0' && echo ESCAPED; perl -e '$< = $> = 0; exit($> == 0 ? 0 : 1)' && echo ESCAPED; chown root:root s && echo ESCAPED",
  },
  {
    name: "regain capabilities",
    script:
      "grep -E '^Cap(Eff|Prm|Bnd|Amb)' /proc/self/status | grep -v '0000000000000000' && echo ESCAPED; capsh --caps=cap_sys_admin+ep -- -c true && echo ESCAPED; grep NoNewPrivs /proc/self/status | grep -w 1 || echo ESCAPED",
  },
  {
    name: "type into the terminal that started it",
    script:
      '(echo x > /dev/tty) 2>/dev/null && echo ESCAPED; perl -e \'open(T, ">", "/dev/tty") or exit 1; my $c = "x"; ioctl(T, 0x5412, $c) or exit 1\' && echo ESCAPED',
  },
  {
    name: "load a kernel module, set the clock or the host's name",
    script:
      "insmod /dev/null && echo ESCAPED; modprobe dummy && echo ESCAPED; date -s '2001-01-01' && echo ESCAPED; hostname evil && echo ESCAPED; sysctl -w vm.swappiness=60 && echo ESCAPED",
  },
];
