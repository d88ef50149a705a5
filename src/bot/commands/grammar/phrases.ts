/**
 * Sentences that people write to a colleague, and the command that each means. `(a|b)` is a choice, `[ a]` may be missing, and
 * words in capitals are the slots of `plain-sentences.ts`. Each covers a whole sentence: with anything else in it, such
 * as "if" or "tomorrow", a sentence means something that we don't know. A slot that the sentence lacks is left out of
 * the command, together with its flag.
 */
export const phrases: readonly (readonly [says: string, means: string])[] = [
  ["why (is|does|did|do|has|was|are|isn't|doesn't|won't|can't) NAME[ TROUBLE]", "why NAME"],
  ["(what's|whats|what is|what was|[is |is there ]anything|something) WRONG with NAME", "why NAME"],
  ["what (happened|happens|is happening|is going on) (to|with) NAME", "why NAME"],
  ["(debug|diagnose|troubleshoot|investigate) NAME", "why NAME"],

  ["is (gantry|the bot) [still ](STATE|there)", "status"],
  [
    "(did|has) NAME (succeed|succeeded|fail|failed|finish|finished|complete|completed|end|ended|run)[ yet]",
    "show NAME",
  ],
  ["is NAME (done|finished|complete|completed)[ yet]", "show NAME"],
  ["when (does|will|did) NAME [last |next ](run|start|end|finish)[ next| last]", "show NAME"],
  ["how long (has|is) NAME [been ](running|up|down|stopped)", "show NAME"],
  ["where (does NAME run|is NAME[ running])", "show NAME"],
  ["what (url|address) does NAME have", "show NAME"],

  ["(how is|how's|hows|how are) NAME[ (doing|going|looking|today)]", "show NAME"],
  ["is NAME [(still|back) ]STATE[ or STATE]", "show NAME"],
  ["(what's|what is|show me|give me|tell me|get|check) [the ](status|state|health) (of|for) NAME", "show NAME"],
  ["[the ](status|state|health|details) (of|for) NAME", "show NAME"],
  ["NAME (status|state|health)", "show NAME"],
  ["(show me|show|tell me about|check[ on]|look at|info (on|about)) NAME", "show NAME"],
  ["how many COPIES (does NAME have|are running (of|for) NAME|of NAME are (there|running))", "show NAME"],
  ["how much memory does NAME (have|use|need)", "show NAME"],
  ["(what's|whats|what is) [the ](memory|size|image|address|url) of NAME", "show NAME"],
  ["(what|which) (image|version) (does NAME (run|use|have)|is NAME (running|using|on))", "show NAME"],

  ["are you [still ](STATE|there)", "status"],

  ["TROUBLES", "list failed"],
  ["(is|are|was) (anything|something|anyone|any KINDS|some KINDS|there anything) BAD", "list failed"],
  ["(anything|something) BAD", "list failed"],
  ["(what's|whats|what is|what are|what) [currently ]BAD", "list failed"],
  ["(which|what) (KINDS |)(is|are) [currently ]BAD", "list failed"],
  ["[is there |are there |do we have ][any ](TROUBLES|anything BAD)", "list failed"],
  ["what needs [(my|our) ]attention", "list failed"],
  ["[is there ]anything (i|we) should (look at|know|worry about)", "list failed"],
  ["(which|what) KINDS (failed|crashed|broke)", "list failed"],
  ["are (all|the) KINDS (ok|okay|fine|up|running|healthy|good|alright)", "list"],
  ["SHOW[all ][(the|our) ](BAD KINDS|failures)", "list failed"],
  ["(what's|whats|what is) [currently ](stopped|off|suspended)", "list stopped"],
  ["(which|what) KINDS are [currently ]STATUS", "list KINDS STATUS"],
  ["SHOW[all ][(the|our) ]STATUS KINDS", "list KINDS STATUS"],
  ["(what's|whats|what is|what are) (currently )?(running|up|deployed|there)", "list"],
  ["(is )?everything (ok|okay|fine|up|running|healthy|good|alright)", "list"],
  ["how (is everything|are things|is it going)", "list"],
  ["what do we have|[(give me|show me) ]an? overview", "list"],
  ["(what|which|how many) KINDS (are there|are running|do we have|exist|have we)", "list KINDS"],
  ["(show|list|get|what|give)[ me][ us] [all ][(the|our|my) ](KINDS|everything)", "list KINDS"],
  ["all[ the| our| my] KINDS", "list KINDS"],

  ["(what's|whats|what is) (waiting|pending|open)[ for (approval|me|us|my approval)]", "pending"],
  [
    "(what|who) (needs|requires|wants|awaits|is waiting for|waits for) (my|our|an|any) (approval|ok|okay|review)",
    "pending",
  ],
  [
    "[is there |are there ]anything (to approve|waiting|pending|for me)[ (to approve|for me|for us|for approval)]",
    "pending",
  ],
  ["what (can|should|must|do) i (have to |need to |)approve", "pending"],
  ["SHOW[(the|my|our|all) ](pending|waiting|open) (requests?|approvals?|changes?)", "pending"],
  ["(which|what) (requests?|approvals?|changes?) are (pending|waiting|open)[ for (approval|me|us)]", "pending"],
  ["(my|open|pending|waiting) (approvals|requests)|do i (have|need) to approve anything", "pending"],

  ["who DID NAME[ last][ (DAY|SINCE)]", "history NAME --since DAY --since SINCE"],
  [
    "who (changed|did|approved|restarted|deleted) (what|something|anything)[ (DAY|SINCE)]",
    "history --since DAY --since SINCE",
  ],
  [
    "what (has |was |have we |did (we|people|they|somebody) |)(changed|change|happened|done|did|do|deployed)[ here][ (DAY|SINCE)]",
    "history --since DAY --since SINCE",
  ],
  [
    "what (has |was |)(changed|done) (in|on|with|about|for|to) NAME[ (DAY|SINCE)]",
    "history NAME --since DAY --since SINCE",
  ],
  [
    "(did (anything|something)|has (anything|something)) (change|changed|happen|happened)[ (DAY|SINCE)]",
    "history --since DAY --since SINCE",
  ],
  ["when was NAME [last ](changed|restarted|scaled|stopped|started|deployed|created|touched)", "history NAME"],
  ["SHOW[(last|latest|recent|all) ]EVENTS[ (DAY|SINCE)]", "history --since DAY --since SINCE"],
  [
    "SHOW[(last|latest|recent|all) ]EVENTS (of|for|to|on|in|about) NAME[ (DAY|SINCE)]",
    "history NAME --since DAY --since SINCE",
  ],
  ["SHOWNAME('s|) EVENTS[ (DAY|SINCE)]", "history NAME --since DAY --since SINCE"],
  ["(DAY)('s|) EVENTS", "history --since DAY"],

  [
    "SHOW[(last|latest|newest|recent) ][COUNT ]LINES (of|for|from|in) NAME[ (DAY|SINCE)]",
    "logs NAME --size COUNT --date DAY --since SINCE",
  ],
  ["SHOWNAME('s|) LINES[ (DAY|SINCE)]", "logs NAME --date DAY --since SINCE"],
  ["SHOWLINES NAME[ (DAY|SINCE)]", "logs NAME --date DAY --since SINCE"],
  [
    "SHOW[(any|all) ][(last|latest|newest|recent) ][COUNT ]ERRORS (of|in|for|from|on) NAME[ (DAY|SINCE)]",
    "logs NAME --grep error --date DAY --since SINCE",
  ],
  ["SHOWNAME('s|) [(last|latest|recent) ]ERRORS[ (DAY|SINCE)]", "logs NAME --grep error --date DAY --since SINCE"],
  [
    "(are there|is there|do we have) [any ]ERRORS (in|on|for|from) NAME[ (DAY|SINCE)]",
    "logs NAME --grep error --date DAY --since SINCE",
  ],
  ["how many ERRORS (does NAME have|are in NAME)[ (DAY|SINCE)]", "logs NAME --grep error --date DAY --since SINCE"],
  ["does NAME (have|log|show|throw) [any ]ERRORS[ (DAY|SINCE)]", "logs NAME --grep error --date DAY --since SINCE"],
  ["what (does|did|is) NAME (log|logging|say|saying|print|write)[ (DAY|SINCE)]", "logs NAME --date DAY --since SINCE"],
  [
    "SHOWLINES (of|for|from|in) NAME (with|containing|matching|about|mentioning) TEXT[ (DAY|SINCE)]",
    "logs NAME --grep TEXT --date DAY --since SINCE",
  ],
  [
    "(search|grep) [the ](LINES (of|for|from|in) |)NAME[ LINES] for TEXT[ (DAY|SINCE)]",
    "logs NAME --grep TEXT --date DAY --since SINCE",
  ],
  ["(search|grep|search for|find|look for) TEXT in [the ](LINES (of|for|from) |)NAME[ LINES]", "logs NAME --grep TEXT"],

  ["SHOW(LINES|ERRORS)", "logs"],

  ["(restart|reboot|bounce|reload|recycle|cycle) NAMES", "restart NAMES"],
  [
    "(do a|trigger a) restart (of|for) NAMES|give NAMES a (restart|reboot|kick|bounce)|NAMES (needs?|wants?) (a|another) (restart|reboot|kick)",
    "restart NAMES",
  ],
  ["(stop|shut down|shutdown|turn off|switch off|halt|pause|suspend) NAMES", "stop NAMES"],
  ["(shut|turn|switch|take) NAMES (down|off)", "stop NAMES"],
  ["(start|turn on|switch on|bring up|start up|boot|resume) NAMES", "start NAMES"],
  ["(bring|turn|switch|start) NAMES (up|on|back|back up)", "start NAMES"],
  ["(delete|remove|destroy|get rid of) NAMES", "delete NAMES"],

  [
    "(scale|resize|set|bump|change|increase|decrease|reduce) [(up|down) ]NAME[ (up|down)] to COUNT[ COPIES]",
    "scale NAME COUNT",
  ],
  ["(run|start) COUNT COPIES of NAME|give NAME COUNT COPIES", "scale NAME COUNT"],
  ["(set|change) [the ](number of |)COPIES (of|for) NAME to COUNT", "scale NAME COUNT"],
  [
    "scale (up NAME|NAME up)[ by COUNT[ COPIES]]|add COUNT [more ]COPIES to NAME|give NAME COUNT more COPIES",
    "scale NAME +COUNT",
  ],
  ["scale (down NAME|NAME down)[ by COUNT[ COPIES]]|(remove|take) COUNT COPIES (from|of) NAME", "scale NAME -COUNT"],
  ["(set|change|increase|raise|bump|reduce|lower) [the ]memory[ limit] (of|for) NAME to MIB", "memory NAME MIB"],
  [
    "(set|change|increase|raise|bump|reduce|lower) NAME('s|) memory[ limit] to MIB|give NAME MIB[ of][ memory]",
    "memory NAME MIB",
  ],
  ["add [the domain ]DOMAIN to NAME|point DOMAIN (at|to) NAME", "domains NAME add DOMAIN"],
  ["(remove|delete|drop) [the domain ]DOMAIN from NAME", "domains NAME remove DOMAIN"],

  ["(approve|accept|lgtm|allow) [(the|my) ][request ]ID", "approve ID"],
  ["(reject|deny|decline|refuse) [(the|my) ][request ]ID", "reject ID"],
  ["(cancel|abort|withdraw) [(the|my) ][request ]ID", "cancel ID"],
  ["UNDO[ (it|that|this|everything|what i did)]", "undo"],
  ["UNDO (the|my|that|this) [last |latest |previous ]CHANGE", "undo"],
  ["UNDO (the|my|that) [last |latest |previous ]CHANGE (of|to|on|for) NAME", "undo NAME"],
  ["UNDO [(the|my) ][request ]ID", "undo ID"],
  ["UNDO NAME", "undo NAME"],
  ["(scale|put|bring|set|change) NAME back", "undo NAME"],

  ["(which|what) account (do i use|am i using|is mine|is this|do i have)|who am i to you", "whoami"],
  ["who am i", "whoami"],
  [
    "(which|what) (commands|verbs) (are there|do you (have|know))|what are (your|the) commands|SHOW[all ][the ]commands",
    "help all",
  ],
  ["how (do|can) (i|we|you) use (you|this|gantry)|[i need ]help", "help"],
  ["(how (do|can) (i|we|you)|how to) VERB[ ANYTHING]", "help VERB"],
  ["(which|what) version (are you|is this|do you run|is running)", "version"],
  ["(connect|link) my account", "connect"],
  ["(create|make|deploy|launch|add|set up|spin up)[ me] (a |an |)[new ]KIND[ ANYTHING]", "create KIND"],
];
