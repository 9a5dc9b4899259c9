/**
 * Perl that fills files of 20 MB and closes them while a message that nobody reads still holds them: no process shows
 * them, and no folder. Once all are there it says "hidden". `open` gives the descriptor of the next one.
 */
const inFlight = (files: number, open: string): string => `perl -e '
  use Socket;
  my (@kept, $piece); $piece = "x" x (1 << 20);
  FILE: for my $n (1 .. ${files}) {
    my $fd = ${open};
    open(my $file, "+<&=", $fd) or last;
    for (1 .. 20) { defined syswrite($file, $piece) or last FILE }
    socketpair(my $one, my $other, AF_UNIX, SOCK_DGRAM, 0);
    my ($byte, $rights) = ("x", pack("Q l l l x4", 20, 1, 1, $fd));
    my $vector = pack("P Q", $byte, 1);
    my $message = pack("Q L x4 P Q P Q l x4", 0, 0, $vector, 1, $rights, 24, 0);
    syscall(${sendmsg}, fileno $one, $message, 0) == 1 or last;
    push @kept, $one, $other;
    close $file;
  }
  $| = 1; print "hidden\\n" if @kept == ${2 * files}; sleep 2'`;

const [sendmsg, memfdCreate] = process.arch === "x64" ? [46, 319] : [211, 279];

export const hiddenMemory = inFlight(45, `do { my $name = "x"; syscall(${memfdCreate}, $name, 0) }`);

export const hiddenDisk = inFlight(
  10,
  'do { open(my $new, "+>", "f") or last; unlink "f"; require POSIX; POSIX::dup(fileno $new) }',
);

/** Segments of memory that nobody has attached. Where nothing holds the script, it takes them back: they would outlive it. */
export const detachedMemory = `perl -e '
  my @ids = map { my $id = shmget(0, 1e8, 01600); shmwrite($id, "x" x 1e8, 0, 1e8); $id } 1 .. 15;
  $| = 1; print "hidden\\n"; sleep 2; shmctl($_, 0, 0) for @ids'`;

export const manyFiles = (folder: string): string => `perl -e '
  for my $d (1 .. 100) { mkdir "${folder}/$d"; for (1 .. 1000) { open(my $file, ">", "${folder}/$d/$_") } }
  sleep 60'`;
