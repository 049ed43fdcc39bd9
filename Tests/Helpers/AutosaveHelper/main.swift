import Tandem

// A program that never calls `save()`: `<store> <how it ends>`. Where it waits, it says `ready` before.
@Model final class Note {
  var text: String
  init(text: String) { self.text = text }
}

/// At once: the tests wait for it.
func say(_ line: String) { FileHandle.standardOutput.write(Data((line + "\n").utf8)) }

// As a shell starts a program. A test does it on a thread that blocks signals, which its children inherit.
var signals = sigset_t()
sigemptyset(&signals)
sigaddset(&signals, SIGTERM)
pthread_sigmask(SIG_UNBLOCK, &signals, nil)

let end = CommandLine.arguments[2]
let configuration = ModelConfiguration(url: URL(fileURLWithPath: CommandLine.arguments[1]))
if end == "own handler" { signal(SIGTERM) { _ in _exit(7) } }

let container = try ModelContainer(for: Note.self, configurations: configuration)
if end != "transaction" && end != "turn in a transaction" { container.mainContext.insert(Note(text: "kept")) }

/// What another context of this process finds in the store.
@MainActor func count() throws -> Int { try ModelContext(container).fetchCount(FetchDescriptor<Note>()) }

switch end {
case "return": break
case "exit": exit(0)
case "after a save":
  try container.mainContext.save()
  container.mainContext.insert(Note(text: "after the save"))
case "after a rollback":
  container.mainContext.rollback()
  container.mainContext.insert(Note(text: "after the rollback"))
  container.mainContext.insert(Note(text: "and one more"))
case "saved":
  try container.mainContext.save()
  say("ready")
  while true { pause() }
case "off": container.mainContext.autosaveEnabled = false
case "second container":
  let other = try ModelContainer(
    for: Note.self, configurations: ModelConfiguration(url: URL(fileURLWithPath: CommandLine.arguments[3])))
  other.mainContext.insert(Note(text: "kept there"))
  exit(withExtendedLifetime(other) { 0 })
case "exit elsewhere":
  // Sooner or later than the main actor's next turn.
  Thread.detachNewThread { exit(0) }
  RunLoop.main.run()
case "exit elsewhere, main thread blocked":
  Thread.detachNewThread { exit(0) }
  while true { pause() }
case "run loop":
  say("ready")
  RunLoop.main.run()
case "dispatch":
  say("ready")
  dispatchMain()
case "blocked", "own handler":
  say("ready")
  while true { pause() }
case "ignored":
  signal(SIGTERM, SIG_IGN)
  say("ready")
  _ = readLine()
case "transaction":
  try container.mainContext.transaction {
    container.mainContext.insert(Note(text: "half"))
    exit(0)
  }
case "turn in a transaction":
  try container.mainContext.transaction {
    container.mainContext.insert(Note(text: "half"))
    RunLoop.main.run(until: Date(timeIntervalSinceNow: 0.05))
    say("inside \(try count())")
    container.mainContext.insert(Note(text: "other half"))
  }
  say("after \(try count())")
case "handler of the app":
  // Registered after the library's own, so it runs before: what it changes is saved.
  atexit { MainActor.assumeIsolated { container.mainContext.insert(Note(text: "at the end")) } }
case "exit while saving":
  _ = NotificationCenter.default.addObserver(forName: ModelContext.willSave, object: nil, queue: nil) { _ in exit(0) }
  try container.mainContext.save()
default: exit(64)
}
