// What to do next, for every problem that a device or a service names
// (docs/service_api.md). The page /problems/NAME shows the same words.

export const PROBLEMS = {
  privacy: "The service asks for something that it may not ask. Nothing was " +
    "sent. Tell whoever gave you the link.",
  budget: "This browser has given away as much as it may, or has answered " +
    "already. Nothing more is sent.",
  input: "What the service sent cannot be read. Nothing was sent. Try again " +
    "later, or tell whoever gave you the link.",
  entropy: "This browser has no secure random numbers. Use another one.",
  memory: "This browser has too little memory for the question.",
  offline: "Check your connection and try again. What was kept is sent again.",
  backend_only: "Take part in the app of whoever asks. This page cannot join.",
  no_task: "Check the link: it names no task of this service.",
  not_published: "The round is not public yet. Wait a minute and try again.",
  not_finished: "The task still collects. Come back when it has ended.",
  invitation_needed: "Check the invitation code, or ask for one. Codes are " +
    "made by whoever asks, for one person each.",
  invitation_used: "This code was used in another browser. Use that one, or " +
    "ask for another code.",
  task_over: "The task has ended and takes no more reports.",
  round_closed: "The question was closed before your report arrived. It is " +
    "not counted, and is not drawn again.",
  wrong_round: "The report belongs to another round. It is not counted.",
  wrong_group: "The report answers a question that was not put to its sender.",
  bad_report: "The bytes are no report. A device of another version made them.",
  bad_token: "The report was not enrolled with this service.",
  bad_commitments: "Enrolment takes 16 bytes for each device.",
  bad_task: "The task file is refused; the detail says why devices would " +
    "refuse it.",
  cannot_work: "With so few people the result would be noise. Invite more, " +
    "raise epsilon, or ask for fewer clusters.",
  too_many: "Too many requests from one address. Wait as long as Retry-After " +
    "says, and send the same bytes again.",
  busy: "The service is busy. Send the same bytes again.",
  store_down: "The service cannot reach its store. Send the same bytes again.",
  disk_full: "The service has no room. Send the same bytes again later.",
  token_needed: "Give the operator's token.",
  wrong_scope: "This token may not do that. Ask for one with the scope.",
  wrong_state: "The task is in another state. Look again.",
  match_needed: "Say which round is meant, with If-Match.",
  moved_on: "The task has moved on meanwhile. Look again, then decide.",
  length_needed: "Send a Content-Length.",
  too_long: "The body is too long.",
  wrong_type: "Send the content type that the manual names.",
  wrong_method: "This address takes other methods.",
  no_route: "There is nothing at this address.",
};

export const advice = (type) => PROBLEMS[type] ||
  "Try again later. If it stays so, tell whoever gave you the link.";
