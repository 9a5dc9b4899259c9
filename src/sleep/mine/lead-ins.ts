import { wordList } from "./word-list.ts";

/** Whether words before a colon announce somebody else's text: a request to read something, or its name. */
export const introducesMaterial = (lead: string): boolean => material.some((pattern) => pattern.test(lead));

/** Whether words before a colon announce the person's own wishes, and don't name somebody else's text. */
export const introducesOwn = (lead: string): boolean =>
  own.test(lead) && !introducesMaterial(lead) && !texts.test(lead);

// a letter before or after makes it another word, except in scripts without spaces
const whole = (list: string) =>
  new RegExp(String.raw`(?<![\p{L}\p{M}\p{N}])(?:${wordList(list)})(?![\p{L}\p{M}\p{N}])`, "iu");
const anywhere = (list: string) => new RegExp(`(?:${wordList(list)})`, "u");

// names for somebody else's text
const english =
  "pages?|sites?|articles?|texts?|mails?|e-?mails?|messages?|letters?|issues?|tickets?|bugs?|threads?|chats?|logs?|outputs?|traces?|errors?|warnings?|diffs?|patch(?:es)?|snippets?|documents?|docs?|readme|wiki|posts?|reviews?|comments?|quotes?|replies|reply|answers?|paste|clipboard|notes|code|rows|data|readme|changelog|stack ?trace|traceback";
const german =
  "seite|text|texte?s|artikel|mail|e-mail|nachricht|ticket|fehler|meldung|log|ausgabe|kommentar|dokument";
const french = "page|texte|article|mail|message|ticket|erreur|journal|commentaire|document";
const spanish = "página|texto|artículo|correo|mensaje|error|registro|comentario|documento";
const italian = "pagina|testo|articolo|mail|messaggio|errore|log|documento";
const texts = whole([english, german, french, spanish, italian].join("|"));

const material = [
  // requests about a text
  whole(`
    summari[sz]e, summary of, sum up, translate, proofread, paraphrase, rephrase, rewrite, shorten, explain, review, analy[sz]e, reply to, respond to, answer to,
    says, said, wrote, writes, reads, posted, replied, reported, commented, prints?, printed, outputs?, shows?, fails with, failed with, i get, i got, we get, we got, i see, we see, i found, getting,
    fasse?, zusammenfassen, übersetze?, erkläre?, schreibt, schrieb, sagt, steht, meldet,
    résume, traduis, explique, dit, écrit, a écrit, resume, resuma, traduce, traduzca, explica, dice, escribió, riassumi, traduci, spiega, ha scritto, resumir, traduza, explique, diz, escreveu,
    vat samen, vertaal, schreef, zegt, streść, przetłumacz, napisał, özetle, çevir, yazdı, sammanfatta, översätt, skrev, tóm tắt, dịch, ringkas, terjemahkan,
    перескажи, суммируй, переведи, объясни, пишет, написал, говорит, переклади, λέει, έγραψε, συνόψισε, סכם, תרגם, כתב, לخص, لخص, ترجم, اشرح, يقول, كتب, सारांश, अनुवाद, लिखा`),
  // pointers to a text
  whole(`
    (?:this|that|these|those|following|below)(?:\\s+[\\p{L}\\p{N}'-]+){0,2}\\s+(?:${english}),
    (?:diese[nrsm]?|folgende[nrsm]?)\\s+(?:\\p{L}+\\s+)?(?:${german}),
    (?:ce|cet|cette|ces)\\s+(?:${french}), (?:este|esta|estos|estas)\\s+(?:${spanish}), (?:questo|questa|questi)\\s+(?:${italian}),
    эт\\p{L}+\\s+(?:страниц\\p{L}*|текст\\p{L}*|письм\\p{L}*|сообщени\\p{L}*|ошибк\\p{L}*|лог\\p{L}*)`),
  anywhere(`
    总结, 翻译, 解释, 页面, 网页, 文章, 邮件, 写着, 日志, 报错, 以下内容, 這個, 总結, 要約, 翻訳, 説明して, ページ, 記事, メール, ログ, 次の文, 요약, 번역, 페이지, 기사, 메일, 로그, 다음 글,
    สรุป, แปล, อธิบาย, หน้านี้, หน้าเว็บ, บทความ, ข้อความนี้, សង្ខេប, បកប្រែ, ສະຫຼຸບ, ແປ, အကျဉ်းချုပ်, ဘာသာပြန်`),
];

const own = new RegExp(
  [
    whole(`
      rules?, conventions?, guidelines?, requirements?, constraints?, preferences?, wishes, remember, from now on, in (?:the )?future, always, never, things?, points?, changes?, fixes, to-?do, style, two more, note, mind,
      regeln?, konventionen, vorgaben, merk dir, ab jetzt, ab sofort, künftig, in zukunft, immer, nie, bitte beachten, wünsche, punkte, règles?, consignes, désormais, dorénavant, toujours, jamais, retiens,
      reglas?, convenciones, a partir de ahora, siempre, nunca, recuerda, regole?, d'ora in poi, sempre, mai, ricorda, regras?, a partir de agora, lembre, regels, vanaf nu, altijd, nooit, onthoud,
      zasady, od teraz, zawsze, nigdy, pamiętaj, kurallar, bundan sonra, her zaman, asla, regler, från och med nu, alltid, aldrig, quy tắc, từ nay, aturan, mulai sekarang,
      правила, отныне, впредь, теперь, всегда, никогда, запомни, правила, відтепер, κανόνες, από εδώ και πέρα, πάντα, ποτέ, כללים, מעכשיו, תמיד, אף פעם, قواعد, من الآن, دائما, أبدا, تذكر, नियम, अब से, हमेशा, याद`)
      .source,
    anywhere(`
      规则, 规范, 以后, 今后, 记住, 要求, ルール, 今後, これから, 覚えて, お願い, 규칙, 앞으로, 기억, กฎ, ต่อไปนี้, จากนี้, จำไว้, เสมอ, វិធាន, ចាប់ពីនេះ, ກົດ, ຕໍ່ໄປ, စည်းမျဉ်း, နောက်`)
      .source,
  ].join("|"),
  "iu",
);
