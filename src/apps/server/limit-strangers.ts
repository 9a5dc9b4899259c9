import type { IncomingMessage, Server } from "node:http";
import type { Socket } from "node:net";

/** The most connections that haven't shown the token yet. */
const mostStrangers = 64;

/**
 * A stranger without the token can't lock the person out by holding connections: a new connection replaces the oldest one that
 * waits. The person's connections stop counting at their first request with the token.
 */
export function limitStrangers(server: Server, isPerson: (request: IncomingMessage) => boolean): void {
  const strangers = new Set<Socket>();
  const answered = new Set<Socket>();
  server.on("connection", (socket: Socket) => {
    const waiting = [...strangers].filter((each) => !answered.has(each));
    if (strangers.size >= mostStrangers) waiting[0]?.destroy();
    strangers.add(socket);
    socket.once("close", () => {
      strangers.delete(socket);
      answered.delete(socket);
    });
  });
  server.on("request", (request, response) => {
    const { socket } = request;
    if (isPerson(request)) strangers.delete(socket);
    answered.add(socket);
    response.once("close", () => answered.delete(socket));
  });
}
