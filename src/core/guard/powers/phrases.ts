import type { PowerKind } from "../power.ts";
import { type FoundPower, found } from "./addresses.ts";
import { forbids } from "./forbids.ts";
import type { PowerText } from "./power-text.ts";

/** Sentences that ask for a power in plain words; the whole sentence is the item. */
export const findPhrases = ({ sentences }: PowerText): readonly FoundPower[] =>
  sentences.flatMap((sentence) => {
    const isForbidding = forbids(sentence.text);
    return phrases
      .filter(({ holds }) => !isForbidding || holds === "always")
      .filter(({ patterns }) => patterns.some((pattern) => pattern.test(sentence.text)))
      .map(({ kind }) => found(kind, sentence));
  });

interface Phrases {
  readonly kind: PowerKind;
  /** Whether a sentence that merely forbids something counts as well. */
  readonly holds: "always" | "unless-forbidden";
  readonly patterns: readonly RegExp[];
}

const near = String.raw`[^.]{0,60}`;
const pattern = (...parts: readonly string[]): RegExp => new RegExp(parts.join(""), "i");
const anyOrder = (...parts: readonly string[]): RegExp =>
  new RegExp(`^${parts.map((part) => `(?=.*\\b(?:${part})\\b)`).join("")}`, "is");

const no = String.raw`(?:do(?:es)? not|don't|doesn't|never|no need to|not (?:necessary|needed|required) to|needn't|need not|must not|mustn't|should not|shouldn't|may not|cannot|without|avoid|not|nor|instead of|stop|refrain from)`;
const people = String.raw`(?:users?|anyone|anybody|any one|someone|them|developers?|humans?|persons?|reviewers?|people|owners?|team|maintainers?|colleagues?|operators?|manager|boss|customer|client|author)`;
const data = String.raw`(?:transcripts?|conversations?|prompts?|sources?|code ?base|code|diffs?|repositor(?:y|ies)|repo|files?|logs?|histor(?:y|ies)|(?:customer|user|client|personal|internal|private)\s+\w+|contents?|data|documents?|screenshots?|summar(?:y|ies)|answers?|results?|output|reports?|invoices?|drafts?|keys?|names?|addresses|numbers|details|everything|cop(?:y|ies)|context|variables|findings|metrics|statistics|usage|notes|emails?|mails?|messages?|patch(?:es)?)`;
const places = String.raw`(?:third[- ]part(?:y|ies)|partners?|vendors?|suppliers?|competitors?|channels?|webhooks?|servers?|endpoints?|services?|desk|pastes?(?:bin)?|gists?|buckets?|drive|collectors?|analytics|telemetry|public|outside|external\w*|internet|slack|discord|telegram|whatsapp|dropbox|s3|inbox|mailbox|remote|registry|trackers?|forums?|websites?|web ?pages?|cloud|contractors?|agency|consultants?|dashboards?|proxy|mirrors?|forks?|somebody else|backend|api)`;
const send = String.raw`(?:send|sends|sent|sending|forward(?:s|ed|ing)?|upload(?:s|ed|ing)?|post(?:s|ed|ing)?|e-?mail(?:s|ed|ing)?|mail(?:s|ed|ing)?|share[sd]?|sharing|transmit\w*|submit\w*|exfiltrat\w*|relay\w*|leak(?:s|ed|ing)?|mirror(?:s|ed|ing)?|sync(?:s|ed|ing)?|publish\w*|report(?:s|ed|ing)?|text(?:s|ed|ing)?|message[sd]?|hand over|deliver(?:s|ed|ing)?|push(?:es|ed|ing)?|copy|copies|copied|stream(?:s|ed|ing)?|backup|back up|pass(?:es|ed|ing)? on|disclos\w+|put|cc|bcc|ping|hand(?:s|ed|ing)?|giv(?:e|es|ing)|provid\w+|suppl(?:y|ies)|export(?:s|ed|ing)?|dump(?:s|ed|ing)?|notif(?:y|ies)|contact(?:s|ing)?|drop(?:s|ped|ping)?|deposit(?:s|ed|ing)?|attach(?:es|ed|ing)?|fax|register|subscribe|sign up|tell|inform)`;
const checks = String.raw`(?:tests?|test[- ]?(?:suites?|cases?|files?|runs?)|suites?|assert(?:ion)?s?|specs?|lint\w*|type[- ]?check\w*|pipelines?|ci|(?:pre-?commit |pre-?push |git )?hooks?|coverage|regressions?|scanners?|static analysis|code review|reviews?|compiler|quality gates?|e2e|benchmarks?|verification|validations?|checks?)`;
const weaken = String.raw`(?:skip\w*|disabl\w+|bypass\w*|comment(?:s|ed|ing)? out|mut(?:e|es|ed|ing)|silenc\w+|suppress\w*|turn(?:s|ed|ing)? off|switch(?:es|ed|ing)? off|ignor\w+|exclud\w+|quarantin\w+|weaken\w*|loosen\w*|relax\w*|stub(?:s|bed|bing)? out|circumvent\w*|lower\w*|delet\w+|remov\w+|xfail\w*|neutrali[sz]\w+|short-?circuit\w*|waiv\w+|overlook\w*|omit\w*|drop(?:s|ped|ping)?)`;
const rulesOf = String.raw`(?:instructions?|rules?|guidelines?|prompts?|polic(?:y|ies)|directions?|orders|constraints?|restrictions?|requests?|commands?|directives?|claude\.md|agents\.md)`;
const sources = String.raw`(?:pages?|files?|comments?|issues?|tickets?|readmes?|web ?sites?|sites?|tools?|outputs?|e-?mails?|documents?|results?|responses?|logs?|bots?|attachments?|repositor(?:y|ies)|dependenc(?:y|ies)|packages?|pull requests?|commit messages?|docstrings?|search|fetched|downloaded|web|internet|servers?|assistants?|agents?|banners?|notices?|headers?|feeds?|wikis?|maintainers?)`;
const memoryFiles = String.raw`(?:(?:CLAUDE|AGENTS|GEMINI|SKILL|SOUL|MEMORY|CODEX|COPILOT|CONVENTIONS)(?:\.\w+)?\.md|\.(?:cursor|windsurf|cline)rules|copilot-instructions|memory files?|rules? files?|system prompt|skill files?|agent(?:'s)? (?:configuration|instructions|memory|rules))`;

const phrases: readonly Phrases[] = [
  {
    kind: "recipient",
    holds: "unless-forbidden",
    patterns: [
      pattern(
        String.raw`\bkeep\b[^.]{0,40}\b(?:in the loop|posted)\b|\bloop in\b|\bmak(?:e|es|ing)\b[^.]{0,40}\b(?:public|publicly (?:visible|readable))\b|\bcreate an account\b`,
      ),
      pattern(
        String.raw`\b${send}\b${near}\b(?:to|with|into|onto|on|via|in|at|through|for)\b${near}\b${places}\b`,
      ),
      pattern(
        String.raw`\b(?:send|forward|upload|transmit|exfiltrate|leak|relay|share|e-?mail|mail|text|report)(?:s|ing|ed|d)?\b${near}\b${data}\b${near}\b(?:to|with)\s+(?!(?:you|stdout|stderr)\b)\w`,
      ),
      pattern(
        String.raw`\b(?:in copy|in cc|bcc|webhooks?|telemetry|phone home|call home|beacon|exfiltrat\w+)\b`,
      ),
      pattern(String.raw`(?:^|\s)#[a-z][\w-]{2,}\s+channel|\bchannel\s+#\w|\bto\s+@\w{2,}`),
      pattern(String.raw`\b(?:bitcoin|btc|ethereum|eth|monero|wallet|iban|paypal|bank account)\b`),
    ],
  },
  {
    kind: "credential",
    holds: "unless-forbidden",
    patterns: [
      pattern(
        String.raw`\b(?:pass(?:word|phrase|code|wd)s?|credentials?|(?:api|access|private|secret|signing|deploy|deployment|encryption|licen[cs]e|master|ssh|gpg|pgp|admin|service|account|aws|host)[ _-]?keys?|ssh[ _-]?agent|keychains?|keyrings?|key ?stores?|key ?vaults?|vault|service[ _-]accounts?|seed phrases?|recovery (?:codes?|phrases?)|one-time (?:codes?|passwords?)|otps?|2fa|mfa|totp|log-?in (?:details|data|names?|pages?)|logins?|session (?:cookies?|ids?)|cookies?|bearer|oauth|jwts?|(?:client[ _-])?secrets?|(?:tls|ssl|client|root|ca|x\.?509|signing) certificates?|pin codes?|impersonat\w+|authenticat\w+ as|log(?:ged)? in as)\b`,
      ),
      pattern(
        String.raw`\b(?:access|auth\w*|api|bearer|session|refresh|personal|github|gitlab|npm|login|deploy|bot|slack|identity|id|security|publish|registry|ci)[ _-]?tokens?\b|\b(?:the|your|a|my|our|this|its|his|her|any|their|whose)\s+tokens?\b(?!\s+(?:counts?|limits?|budgets?|stream|types?|lists?))|\btokens?\s+(?:from|of|in|for)\s+(?:the\s+)?(?:\.|env|key|user|account|ci|settings|config)`,
      ),
      pattern(
        String.raw`(?:^|[\s"'\x60(/~*])\.(?:env(?:\.\w+)?|npmrc|netrc|pgpass|pypirc|git-credentials|htpasswd|aws|ssh|gnupg|kube|docker\/config)(?![\w])|\bid_(?:rsa|ed25519|ecdsa|dsa)\b|\bauthorized_keys\b|\.(?:pem|p12|pfx|kdbx)\b|\/etc\/(?:passwd|shadow)`,
      ),
      pattern(
        String.raw`\b(?:environment variables?|env(?:ironment)? vars?|env file|printenv|process\.env|os\.environ|dotenv)\b`,
      ),
      /\b[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)*_(?:TOKEN|KEY|SECRET|PASSWORD|PASSWD|PWD|PAT|CREDENTIALS?)\b/,
    ],
  },
  {
    kind: "permission",
    holds: "unless-forbidden",
    patterns: [
      pattern(
        String.raw`\b(?:on your own (?:initiative|authority|account)|no questions asked|unattended|unsupervised|without (?:supervision|oversight)|approve your own|self-approv\w*|as you see fit|unrestricted|unlimited access|(?:assum|presum)\w* (?:that )?(?:it|this|everything) (?:is|was) (?:allowed|permitted|ok(?:ay)?|approved))\b`,
      ),
      pattern(
        String.raw`\b(?:dis)?allowed[-_ ]?tools\b|\b(?:allow|deny|permission|trust)[- ]?lists?\b|\bpermission[- ]?(?:mode|prompts?|rules?|checks?|requests?|dialogs?)\b`,
      ),
      pattern(
        String.raw`\b(?:grant|widen|raise|extend|request|chang|edit|add|bypass|skip|accept|loosen|relax|giv|approv|need|set|get|take|broaden|elevat|escalat|overrid)\w*\b${near}\b(?:permissions?|privileges?|access rights?|full access|write access|admin rights?)\b`,
      ),
      pattern(
        String.raw`\bsettings(?:\.local)?\.json\b|(?:^|[\s"'\x60(/~])\.(?:claude|codex|cursor|opencode|gemini|vscode|github\/workflows|git\/|husky|mcp\.json|gitconfig|bashrc|zshrc|profile|bash_profile)|\bmcp(?:\.json| servers?| configuration)\b|\bgit config\b`,
      ),
      anyOrder(
        memoryFiles,
        String.raw`(?:writ\w+|add\w*|edit\w*|append\w*|chang\w+|updat\w+|put|insert\w*|record\w*|modif\w+|replac\w+|delet\w+|stor\w+|sav\w+|extend\w*|rewrit\w+|remov\w+|overwrit\w+|copy|note|keep)`,
      ),
      pattern(
        String.raw`\b(?:register|add|install|set up|creat|remov|disabl|chang|defin|writ|configur|hang)\w*\b${near}\bhooks?\b|\bhooks?\b${near}\b(?:regist|add|install|creat|remov|disabl)\w*`,
      ),
      pattern(
        String.raw`\b(?:disabl\w+|turn(?:s|ed|ing)?|switch(?:es|ed|ing)?|deactivat\w+|leav(?:e|ing)|escap\w+|bypass\w*|circumvent\w*|without|outside|exit|remov\w+|lift|stop|work(?:ing)? around|get(?:ting)? around|avoid)\b${near}\b(?:sandbox\w*|guard ?rails?|safeguards?|safety|approvals?|firewalls?|anti-?virus|selinux|restrictions?|confinement|policy checks?|rate limits?|protections?|confirmations?|(?:permission |confirmation |approval )?(?:prompts?|dialogs?)|audit\w*|monitoring|authentication|two-factor|second factor)\b`,
      ),
      anyOrder(
        "approvals?|permissions?|confirmations?|consent|prompts?|dialogs?",
        "answer yes|say yes|yes|agree|click|accept(?:ed|s)?|approved?|allow(?:ed|s)?|press",
      ),
      pattern(
        String.raw`\b(?:creat|add|defin|writ|generat)\w*\b[^.]{0,30}\b(?:skills?|slash commands?|sub-?agents?|agent definitions?|own rules?)\b`,
      ),
      pattern(
        String.raw`\b(?:sandbox\w*|guard ?rails?|safeguards?|approvals?|firewalls?|protections?)\b${near}\b(?:off|disabled|none|turn(?:ed)? (?:it|them) off|skipp?\w*|bypass\w*|ignor\w+|lifted|unnecessary|not needed)\b`,
      ),
      pattern(
        String.raw`--dangerously[\w-]*|--yolo\b|--full-auto\b|--allow-all\S*|--no-sandbox\b|--privileged\b|--trust\S*|--skip-permissions|danger-full-access|bypassPermissions|acceptEdits|--auto-approve|--approve-all|--unsafe\S*|--insecure\b|\bdont-?ask\b|\bfull[- ]auto\b|\byolo\b`,
      ),
      pattern(
        String.raw`\b(?:sudo|doas|runas|setuid|chmod|chown|icacls|setfacl)\b|\bas (?:root|administrator|an? admin\w*|superuser)\b|\broot (?:user|access|rights|shell)\b|\b(?:world|group)-(?:writ|read)able\b|\b(?:writable|readable|executable) (?:for|by|to) (?:all|every\w*|any\w*|others)\b|\bexecutable bit\b`,
      ),
      pattern(
        String.raw`\b(?<!(?:answer|reply|respond|decide|guess)\s)without (?:first |even |any )?(?:asking|confirm\w*|approval|permission|consent|review\w*|prompting|waiting|a (?:confirmation|prompt|review|second look)|checking with|(?:the |a )?(?:user|human|person|owner)'?s? (?:confirm\w*|approv\w*|consent|review|permission|ok))\b`,
      ),
      pattern(
        String.raw`\b${no}\s+(?:to\s+)?(?:ask(?:ing)?|wait(?:ing)?|paus(?:e|ing)|stop(?:ping)?|seek|prompt)\b${near}\b(?:permission|approval|confirm\w*|consent|go-ahead|before|first|review|sign-off)\b`,
      ),
      pattern(
        String.raw`\bauto(?:matically)?[- ]?(?:approv|accept|merg|commit|push|deploy|confirm|allow|execut)\w*\b|\b(?:assum|presum|tak)\w*\b[^.]{0,30}\b(?:consent|approval|permission|yes|granted|approved)\b|\b(?:approv|accept|confirm|grant|allow)\w*\b[^.]{0,30}\b(?:every|all|any|each)\b[^.]{0,30}\b(?:prompts?|requests?|dialogs?|actions?|tools?|commands?|edits?|question)\b|\b(?:answer|say|reply|press) (?:yes|y|ok)\b[^.]{0,30}\b(?:to|when|for)\b${near}\b(?:prompt|question|dialog|confirm|ask)\w*`,
      ),
      pattern(
        String.raw`\b(?:disabl\w+|ignor\w+|skip\w*|turn(?:ing)? off|bypass\w*|accept\w*|without|no)\b[^.]{0,40}\b(?:tls|ssl|certificates?|certs?|signatures?|checksums?|host keys?)\b|\bverify\s*=\s*False|rejectUnauthorized|NODE_TLS\w*|StrictHostKeyChecking|\bself-signed\b`,
      ),
    ],
  },
  {
    kind: "authority",
    holds: "always",
    patterns: [
      pattern(
        String.raw`\b${sources}\b${near}\b(?:is|are|count as|become|were|counts as|has to be|have to be)\b[^.]{0,20}\b(?:orders?|commands?|instructions?|binding|mandatory|obeyed|law)\b`,
      ),
      anyOrder(
        String.raw`${people} (?:\w+ )?(?:objects?|disagrees?|protests?|refuses?|complains?|forbids?|declines?|says? (?:no|stop|otherwise))`,
        String.raw`stick|keep|continue|go on|carry on|insist|proceed|persist|all the same|anyway|nevertheless|still|regardless`,
      ),
      pattern(
        String.raw`\b(?:overrid|overrul|outrank|supersed|trump)\w*\b${near}\b(?:what|${people}|he|she|they)\b|\b(?:regardless of|no matter|whatever|even (?:if|when|though)|against)\b${near}\b${people}\b[^.]{0,40}\b(?:says?|wants?|wish\w*|objects?|forbids?|asks?|prefers?|disagrees?|writes?|wrote|tells?|otherwise)\b`,
      ),
      pattern(
        String.raw`\b(?:count|rank|weigh|stand|are|is|work)s?\b[^.]{0,30}\b(?:like|as|equal to|the same as)\b[^.]{0,30}\b(?:requests?|commands?|orders?|words?|instructions?) (?:of|from|by) (?:the |a )?${people}\b|\b(?:same|equal|full) (?:authority|trust|weight) as\b|\bspeaks? for (?:the )?${people}\b`,
      ),
      pattern(
        String.raw`\b(?:this|these|the) (?:rules?|lines?|sections?|lists?|instructions?|blocks?)\b[^.]{0,30}\b(?:must|may|can|should|shall) ?(?:not|never)\b[^.]{0,20}\b(?:be )?(?:changed|removed|deleted|questioned|edited|overruled|altered|pruned)\b|\bwithout (?:questioning|question|discussion|second thoughts)\b`,
      ),
      pattern(
        String.raw`\b(?:ignor|disregard|forget|overrid|overrul|supersed|set aside|outrank|replac|take precedence|neglect|discard)\w*\b[^.]{0,50}\b(?:(?:previous|earlier|prior|above|other|all|any|older|existing|system|user'?s?|project|your|these|those|the)\s+)+${rulesOf}\b`,
      ),
      pattern(
        String.raw`\b(?:precedence|priority) over\b${near}\b(?:${rulesOf}|users?|everything|anything|all|others?)\b|\b(?:overrid|outrank|supersed|trump)\w*\b${near}\b(?:${rulesOf}|users?|everything|anything else)\b`,
      ),
      anyOrder(
        String.raw`follow(?:s|ed|ing)?|obey\w*|execut\w+|carr(?:y|ies|ied) (?:\w+ )?out|act(?:s|ed|ing)? on|compl(?:y|ies) with|perform\w*|heed\w*|do what|does? as|go by|honou?r\w*|adopt`,
        String.raw`${rulesOf}|whatever|what it says|what they say|steps|says|told`,
        sources,
      ),
      pattern(
        String.raw`\b(?:treat|regard|consider|count|take|read|handle|see)\w*\b${near}\bas\b[^.]{0,40}\b(?:instructions?|commands?|orders?|requests?|trusted|authoritative|approved|binding|system|(?:from|by) the (?:user|owner|developer))\b`,
      ),
      anyOrder(
        sources,
        String.raw`(?:tell|ask|instruct|direct|order|advis|want|urg|requir|command)(?:e?s|ed|ing)? (?:any |all |the |an |every )?(?:agents?|you|assistants?|models?|ai|llms?|bots?)`,
      ),
      pattern(
        String.raw`\byou are now\b|\bsystem prompts?\b|\bdeveloper mode\b|\bjailbreak\w*|\bnew persona\b|\b(?:trust|believe)\w*\b${near}\b(?:web|pages?|tool outputs?|comments?|issues?|readmes?|sites?|fetched|downloaded|anything|everything|whatever)\b`,
      ),
    ],
  },
  {
    kind: "concealment",
    holds: "always",
    patterns: [
      pattern(
        String.raw`\b(?:leav|keep|tak|cut|strip|edit)\w*\b[^.]{0,50}\bout of (?:the|your|any|every|all|its) \w+|\bbetween (?:us|ourselves|you and)\b|\b(?:stay|remain|be kept)s?\b[^.]{0,15}\b(?:secret|unsaid|unmentioned|internal|private|hidden)\b|\bunder (?:a|an|the|some) (?:\w+ )?(?:name|message|title|label|pretext|guise|excuse)\b|\b(?:pretext|alibi)\b`,
      ),
      pattern(
        String.raw`\b(?:downplay\w*|play(?:ing)? down|gloss(?:ing)? over|sneak\w*|slip(?:s|ping)? (?:it|this|them|the|a|an)\b[^.]{0,20}\bin(?:to)?|smuggl\w+|bury|burying|buried|blend(?:s|ing)? in|inconspicuous\w*|low profile|suspicions?|detection|cover story|unaware|not volunteer|(?:only|unless) (?:if |when )?(?:explicitly |directly )?asked about (?:it|this)|without (?:the |their |its |anyone's )?(?:${people}'?s? )?knowledge|so (?:that|as) (?:nobody|no one|not to (?:alarm|worry|upset|alert)))\b`,
      ),
      pattern(
        String.raw`\b(?:say|mention|report|tell|reveal|disclose|write|note)\w*\b[^.]{0,20}\b(?:nothing|no one|nobody|not a word)\b|\bno (?:word|mention|notice|trace|record|comment)\b(?:[^.]{0,20}\b(?:of|about|to|in)\b|\s*$)|\b(?:keep|stay|remain|be) (?:\w+ )?(?:quiet|silent|mum|discreet)\b|\bfor your eyes\b|\bstrictly between\b`,
      ),
      pattern(
        String.raw`\b(?:look|appear|seem|sound|pass(?:es|ed)? (?:\w+ )?off|dress\w* (?:\w+ )?up|present(?:ed)?|label\w*|describ\w+)\b(?: \w+){0,2} (?:like|as)\b[^.]{0,30}\b(?:typo|formatting|routine|harmless|ordinary|normal|accident\w*|minor|refactor\w*|cleanup|usual|part of|maintenance|chore|unrelated|nothing|cosmetic)\b`,
      ),
      pattern(
        String.raw`\b${no}\b[^.]{0,10}\b(?:bring|refer|speak|discuss|hint|allude|point|quote|repeat|cite)\w*\b[^.]{0,30}\b(?:this|it|these|rules?|instructions?|steps?)\b|\bnot even (?:when|if) (?:\w+ )?asked?\b|\beven (?:when|if) (?:\w+ ){0,3}asks?(?:ed)?\b`,
      ),
      pattern(
        String.raw`\b(?:leav|skip|omit|drop|exclud|keep)\w*\b[^.]{0,40}\b(?:in|from|out of) (?:the|your|any|every) (?:final )?(?:summar\w+|reports?|changelogs?|commit messages?|descriptions?|release notes|logs?)\b`,
      ),
      pattern(
        String.raw`\b${no}\s+(?:ever\s+|even\s+|be\s+)?(?:mention\w*|tell\w*|disclos\w+|reveal\w*|report\w*|inform\w*|notif\w+|let(?:ting)?|talk\w*|admit\w*|announc\w+|alert\w*|warn\w*|bother\w*|draw\w*|show\w*|explain\w*|say\w*|log(?:s|ged|ging)?|record\w*|list(?:ed|ing)?|not(?:e|ing)|surfac\w+|document\w*|comment\w*)\b(?:[^.]{0,40}\b(?:this|these|it|that you|that it|steps?|rules?|instructions?|${people}|requests?|commands?|attention|about)\b|\s*$)`,
      ),
      pattern(
        String.raw`(?<!\b(?:never|not|n't|no|nothing|avoid|that|which|fails?|failing|failed|be)\s)\b(?:silently|secretly|quietly|covertly|stealthily|discreetly|surreptitiously|invisibly|unobtrusively)\b(?!\s+fail)|\bbehind the scenes\b|\bunder the radar\b|\bun(?:noticed|detected|announced|reported)\b|\bin secret\b|\bon the quiet\b|\boff the record\b`,
      ),
      pattern(
        String.raw`\b(?:keep|leav|hold|omit|strip|take|cut)\w*\b${near}\b(?:to yourself|between us|secret|hidden|confidential|under wraps|(?:out of|from|off) (?:the |your |any |every )?(?:summar\w+|reports?|logs?|changelogs?|diffs?|transcripts?|histor\w+|descriptions?|view|sight|record))\b`,
      ),
      pattern(
        String.raw`(?<!\b(?:that|which|may|can|could|not|never|to)\s)\b(?:hide|hiding|conceal\w*|disguis\w+|mask(?:s|ing)?|obfuscat\w+|camouflag\w+)\b|\bcover(?:ing|s)? (?:up|your|its|the) (?:tracks?)?|\b(?:remov|eras|delet|wip|clear|clean|scrub|tidy|purg)\w*\b${near}\b(?:traces?|evidence|shell history|command history|tracks|audit (?:trail|log)s?|logs?|log (?:entry|entries|lines?))\b`,
      ),
      pattern(
        String.raw`\b(?:should|must|may|is|are|does|do|will|shall|need|can)(?:\s+(?:not|never)|n't)\b[^.]{0,40}\b(?:appear|be (?:mentioned|shown|visible|reported|seen|noticed|disclosed|listed|logged|told|aware)|show up|turn up)\b|\b${people}\b[^.]{0,30}\b(?:should|must|need|may|can|shall)(?:\s+(?:not|never)|n't)\b[^.]{0,20}\b(?:know|notice|see|find out|learn)\b`,
      ),
      pattern(
        String.raw`\b(?:nobody|no one|none of them)\b[^.]{0,30}\b(?:know|notice|see|told|learn|find out|aware)s?\b|\bwithout (?:telling|mentioning|notif\w+|inform\w+|anyone|anybody|leaving|saying|a word|announc\w+|a trace|drawing|(?:the )?(?:user|owner|reviewer|team)s? (?:know|notic|see)\w*)`,
      ),
      pattern(
        String.raw`\basks?(?:ed)?\b[^.]{0,20}\b(?:what (?:you|else)|why (?:you|this|it)|whether you|if you|about (?:this|it|these|your)|for your (?:rules|instructions))\b|\b(?:pretend\w*|deny|denies|feign\w*|act as (?:if|though)|as if nothing|lie to|mislead\w*|play dumb|make it look)\b|\bclaim(?:s|ing)? (?:that )?(?:you|it|the|all|everything)\b`,
      ),
    ],
  },
  {
    kind: "tests",
    holds: "always",
    patterns: [
      pattern(
        String.raw`--no-verify|--no-check\b|--skip\S*|-DskipTests|\bSKIP=\w|\bxfail\b|\b(?:it|test|describe)\.(?:skip|only|todo)\b|@(?:Ignore|Disabled|pytest\.mark\.skip)\b|\bcontinue-on-error\b|\|\|\s*true\b|--passWithNoTests|eslint-disable|@ts-(?:ignore|nocheck|expect-error)|#\s?(?:noqa|nosec|type:\s*ignore)|\[(?:skip ci|ci skip)\]|HUSKY=0|\bset \+e\b|--exit-zero|--force-exit|--bail=0`,
      ),
    ],
  },
  {
    kind: "tests",
    holds: "unless-forbidden",
    patterns: [
      pattern(
        String.raw`\b(?:red|failing|failed|broken)\b[^.]{0,20}\b(?:${checks}|builds?)\b${near}\b(?:no (?:reason|obstacle|problem|hindrance|excuse)|not? matter|never mind|may (?:stay|remain)|acceptable|tolerable|fine|all right|normal)\b`,
      ),
      anyOrder(
        checks,
        String.raw`skip(?:s|ped|ping)?|disabl(?:e|es|ed|ing)|loosen(?:ed|ing)?|weaken(?:ed|ing)?|silenc(?:e|ed|ing)|mut(?:e|ed|ing)|bypass(?:ed|ing)?|comment (?:it|them) out|xfail|relax(?:ed|ing)?|suppress(?:ed|ing)?|quarantin(?:e|ed|ing)|postpon(?:e|ed|ing)|forgo|untested|unverified|rubber-stamp\\w*`,
      ),
      pattern(
        String.raw`\b(?:leav|defer|delay|put(?:ting)? off|sav|do without|dispens)\w*\b[^.]{0,30}\b${checks}\b|\b(?:downgrad|turn|demot|reduc)\w*\b[^.]{0,30}\b(?:errors?|failures?)\b[^.]{0,20}\b(?:in)?to\b[^.]{0,10}\b(?:warnings?|notes?|hints?)\b|\b(?:exit|return)\w*\b[^.]{0,20}\b(?:0|zero|true|success)\b[^.]{0,20}\b(?:always|anyway|regardless|whatever|no matter)\b|\balways (?:return|exit|succeed|pass)\w*\b|\ballow(?:ed)?[- ](?:to )?fail\w*|\bat (?:any|all) costs?\b|\bwhatever it takes\b`,
      ),
      pattern(String.raw`\b${weaken}\b[^.]{0,50}\b${checks}\b`),
      pattern(
        String.raw`\b${checks}\b${near}\b(?:skip\w*|disabl\w+|ignor\w+|bypass\w*|xfail\w*|commented out|deleted|removed|optional|waived|muted|weakened|unnecessary|superfluous|turned off|a waste)\b`,
      ),
      pattern(
        String.raw`\b(?:ignor|suppress|silenc|swallow|hid|mut|overlook)\w*\b[^.]{0,30}\b(?:errors?|failures?|warnings?|exceptions?|failing|alerts?|findings)\b|\b(?:errors?|failures?|warnings?|red builds?)\b[^.]{0,40}\b(?:ignored|harmless|fine|acceptable|tolerat\w+|suppressed)\b`,
      ),
      pattern(
        String.raw`\b(?:chang|adjust|edit|updat|rewrit|adapt|alter|tweak|regenerat|re-?record|re-?baselin|refresh|overwrit|fix|bend|modif|accept|set|relax|lower|rais|loosen)\w*\b${near}\b(?:expected (?:values?|outputs?|results?)|expectations?|assert(?:ion)?s?|snapshots?|golden files?|fixtures?|thresholds?|tolerances?|timeouts? of tests?|the (?:failing )?tests?)\b`,
      ),
      pattern(
        String.raw`\b(?:mark|report|treat|count|record|declar|call|label|flag|tag|claim|say|state|assum)\w*\b${near}\b(?:tests?|checks?|failures?|failing|suite|build|errors?)\b${near}\b(?:pass\w*|skip\w*|ok|green|success\w*|done|expected|flaky|known|fixed)\b`,
      ),
      pattern(
        String.raw`\bhard-?cod\w*\b${near}\b(?:expected|tests?|answers?|results?|outputs?)\b|\b(?:stay|keep|look|mak|turn|remain)\w*\b${near}\bgreen\b|\buntil\b[^.]{0,40}\b(?:green|pass(?:es)?|go(?:es)? through)\b|\b(?:special[- ]cas\w+|detect)\b${near}\b(?:tests?|test (?:environment|runner))\b|\b(?:use|add|put|insert|wrap|with)\b[^.]{0,30}\bempty catch\b|\bcatch and (?:ignore|drop)\b|\b(?:mock|fake|stub)\w*\b${near}\bso that\b${near}\bpass\w*`,
      ),
    ],
  },
  {
    kind: "tests",
    holds: "always",
    patterns: [
      pattern(
        String.raw`\b${no}\b[^.]{0,30}\b(?:run\w*|execut\w*|writ\w*|wait\w*|add\w*|bother\w*|start\w*|need\w*|requir\w*)\b[^.]{0,40}\b(?:tests?|test[- ]?suites?|linters?|type[- ]?check\w*|ci|pipelines?|specs?|checks|code review|verification)\b`,
      ),
      pattern(
        String.raw`\b(?:commit|merg|push|ship|releas|deploy|finish|done|submit)\w*\b${near}\b(?:even (?:if|when|though)|although|despite|regardless|with|without|before)\b${near}\b(?:fail\w*|red|broken|tests?|checks?|errors|review)\b`,
      ),
    ],
  },
];
