import { wordList } from "./word-list.ts";

// How people say no, in many languages. English has its own, more detailed list (corrections.ts).

/** A no alone or followed by punctuation, before the person's actual wish. */
const spaced = wordList(`
  no, nope, nah, wrong, nein, nee, falsch, non, faux, não, errado, incorrecto, incorrect, mal, sbagliato, nie, źle, błąd, ne, špatně, nej, nei, fel, feil, forkert, ei, väärin, nem, rossz, nu, greșit,
  hayır, yanlış, không, sai rồi, bukan, salah, tidak, нет, неправильно, неверно, не так, ні, неправильно, όχι, λάθος, לא, טעות, לא נכון, لا, خطأ, غلط, नहीं, गलत, না, ভুল, இல்லை, არა, ոչ`);
const unspaced = wordList(`
  不对, 不是的, 不是这样, 不行, 错了, 不對, 錯了, 不要这样, 違います, 違う, ちがう, ちがいます, いいえ, いや, だめ, ダメ, 間違い, 아니요, 아니야, 아니, 틀렸어요, 틀렸어, ไม่ใช่, ไม่ถูก, ผิด, ไม่, ទេ, ខុស, ບໍ່ແມ່ນ, ຜິດ, မဟုတ်ဘူး, မှားတယ်`);

const marks = String.raw`[\s,.:;!،؛。，！：、…—–-]`;

export const bareNo = new RegExp(
  String.raw`^(?:(?:${spaced})(?=\s*[,.:;!،。，！：…—–-]|\s*$)|(?:${unspaced})(?=${marks}|$))${marks}*`,
  "iu",
);

/** Openings of corrections: a no, "not like that", "I said", "instead of this", "again wrong". */
const openingWords = wordList(`
  nein, falsch, nicht so, das ist falsch, das stimmt nicht, ich sagte, ich habe gesagt, ich hab gesagt, schon wieder, bitte nicht, hör auf, niemals, nie wieder, stattdessen,
  non, faux, pas comme ça, ce n'est pas, c'est faux, j'ai dit, je t'ai dit, encore une fois, arrête, plutôt, jamais,
  no, así no, eso no, está mal, no es así, te dije, he dicho, otra vez, deja de, nunca, mejor usa, incorrecto,
  não, errado, assim não, está errado, eu disse, de novo, pare de, nunca, sbagliato, non così, non è, ho detto, di nuovo, smetti, mai, invece,
  nee, fout, niet zo, dat klopt niet, ik zei, alweer, stop met, nooit, nie tak, źle, to nie, mówiłem, mówiłam, znowu, przestań, nigdy,
  ne takhle, špatně, říkal jsem, nej, inte så, fel, jag sa, sluta, aldrig, nei, ikke sånn, feil, jeg sa, ei noin, väärin, sanoin, nem, nem így, rossz, mondtam, nu așa, greșit, am spus,
  hayır, yanlış, öyle değil, dedim, yine, asla, không phải, sai rồi, tôi đã nói, đừng, bukan, salah, jangan, sudah kubilang,
  нет, неправильно, неверно, не так, это не, я сказал, я сказала, я же, опять, снова, хватит, не надо, перестань, никогда, ні, не так, я казав, όχι, λάθος, όχι έτσι, είπα, ξανά, ποτέ,
  לא, טעות, לא ככה, אמרתי, שוב, لا, خطأ, ليس هكذا, قلت, مرة أخرى, توقف, नहीं, गलत, ऐसे नहीं, मैंने कहा, फिर से, मत, না, ভুল, এভাবে না, আমি বলেছি, இல்லை, தவறு, არა, ոչ`);
const openingCharacters = wordList(`
  不对, 不對, 不是, 错了, 錯了, 不要, 别, 別用, 我说过, 我說過, 又错, 应该用, 應該用, 請不要, 请不要, 违, 違, ちが, いいえ, いや, だめ, ダメ, 間違, そうじゃな, ではなく, じゃなくて, 言ったよう, また間違, やめて,
  아니, 틀렸, 그게 아니, 말했잖, 또 틀, 하지 마, 쓰지 마, ไม่ใช่, ไม่ถูก, ผิด, อย่า, บอกแล้ว, ไม่เอา, ខុស, មិនមែន, កុំ, ບໍ່ແມ່ນ, ຜິດ, ຢ່າ, မဟုတ်, မှား, မလုပ်`);

export const refusals = new RegExp(
  String.raw`^[\s¡¿"'«„“(]*(?:(?:${openingWords})(?![\p{L}\p{M}])|(?:${openingCharacters}))`,
  "iu",
);

/** Phrases that sound like a no but express agreement. */
export const contents = new RegExp(
  String.raw`^\s*(?:${wordList(`
    kein problem, keine sorge, keine eile, nicht schlimm, nicht schlecht, pas de problème, pas de souci, pas mal, no hay problema, no pasa nada, no te preocupes, sin problema, não tem problema, sem problema,
    nessun problema, non c'è problema, geen probleem, nie ma problemu, nema problema, inga problem, ingen problem, sorun yok, không sao, không có gì, tidak apa, tidak masalah, не проблема, нет проблем, ничего страшного, нет вопросов, κανένα πρόβλημα, אין בעיה, لا مشكلة, لا بأس, कोई बात नहीं`)}|(?:${wordList(
    `不客气, 不客氣, 不用谢, 不用謝, 没问题, 沒問題, 不错, 不錯, 別に, いや、いい, 아니에요 괜찮, 문제없, ไม่เป็นไร, ไม่มีปัญหา, ບໍ່ເປັນຫຍັງ, မဟုတ်ပါဘူးရပါတယ်`,
  )}))`,
  "iu",
);
