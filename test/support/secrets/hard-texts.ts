/** Texts of a length that make a careless search slow: one piece over and over. */
export const hardTexts = (length: number): readonly { readonly piece: string; readonly text: string }[] =>
  pieces.map((piece) => ({ piece, text: piece.repeat(Math.ceil(length / piece.length)).slice(0, length) }));

const dashes = "-".repeat(5);

const pieces: readonly string[] = [
  ...`a A \\ " = : @ - _ . / < % x* 9:AA '\`" 0123456789abcdef aB3/ 1234567890 \\n \\\\" %20 %2525 &amp; ://`.split(
    " ",
  ),
  ...`password password=" password= PASSWORD= http://a:b <password> sk- eyJabcdefgh. ATATT3 «SECRET:known:1»`.split(
    " ",
  ),
  ...`Mabcdefghijklmnopqrstuvwxyz.|password: "|key |token: x\n|Bearer |Cookie: a=b; | |\n|\n   `.split("|"),
  ..."cat token.txt\n~cat secret ~password is ~the my key ~密码是~パスワード~пароль ~my a b key is ~| user | password |\n~user,password\n~a_live_~aB3_~aB3.~AC0123456789abcdef0123456789abcdef ~4539 5787 6362 1486 ~DE89 3704 ~client id: abcdefgh ~passe est ~gh auth token ~1 ~eyJhbGciOi~q7Rk2ZpX9mTf4LbW8sVn+q7Rk2ZpX9mTf4LbW8sVn/Yc3Hd6Jg1Kt5PvQ0x ".split(
    "~",
  ),
  `${dashes}BEGIN RSA PRIVATE KEY${dashes}\n`,
  "The quick brown fox = jumps over: the lazy dog. const x = await read(bar);\n",
];
