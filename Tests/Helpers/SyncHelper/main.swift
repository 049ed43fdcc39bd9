import Tandem
import TandemSync

// A program beside the tests' own that synchronises its store by itself: `<store> <folder>`, then a command a line:
// `add <text>` saves, `await <text>` waits until it is there, `stop` ends the synchronisation. Says `done` after each.
@Model final class Note {
  var text: String
  init(text: String) { self.text = text }
}

/// At once: the tests wait for it.
func say(_ line: String) { FileHandle.standardOutput.write(Data((line + "\n").utf8)) }

let (store, folder) = (URL(filePath: CommandLine.arguments[1]), URL(filePath: CommandLine.arguments[2]))
let container = try ModelContainer(for: Note.self, configurations: ModelConfiguration(url: store))
var watch = WatchOptions()
watch.saveDelay = .milliseconds(50)
let sync = try AutomaticSync(container: container, folder: folder, watch: watch)
let context = ModelContext(container)

@MainActor func has(_ text: String) throws -> Bool {
  try context.fetchCount(FetchDescriptor<Note>(predicate: #Predicate { $0.text == text })) > 0
}

say("ready")
while let line = readLine() {
  let words = line.split(separator: " ").map(String.init)
  switch words[0] {
  case "add":
    context.insert(Note(text: words[1]))
    try context.save()
  case "await":
    var changes = container.changes.makeAsyncIterator()
    while try !has(words[1]) { _ = try await changes.next() }
  case "stop": await sync.stop()
  default: exit(64)
  }
  say("done")
}
