import Tandem

// A program beside the tests' own that changes objects of a store: `<store> <author>`, then a command a line:
// `add <text>`, `set <old text> <new text>`, `remove <text>`. Says `done` after each save.
@Model final class Note {
  @Attribute(.preserveValueOnDeletion) var text: String
  var number: Int
  init(text: String, number: Int) {
    self.text = text
    self.number = number
  }
}

/// Only there because a process that leaves a class out retires it.
@Model final class Errand {
  var text: String
  init(text: String) { self.text = text }
}

var configuration = ModelConfiguration(url: URL(fileURLWithPath: CommandLine.arguments[1]))
configuration.durability = .relaxed
let container = try ModelContainer(for: Schema([Note.self, Errand.self]), configurations: [configuration])
let context = ModelContext(container)
context.author = CommandLine.arguments[2]

/// At once: the tests wait for it.
func say(_ line: String) { FileHandle.standardOutput.write(Data((line + "\n").utf8)) }

@MainActor func notes(_ text: String) throws -> [Note] {
  try context.fetch(FetchDescriptor(predicate: #Predicate { $0.text == text }))
}

say("ready")
while let line = readLine() {
  let words = line.split(separator: " ").map(String.init)
  switch words[0] {
  case "add": context.insert(Note(text: words[1], number: try context.fetchCount(FetchDescriptor<Note>())))
  case "set": for note in try notes(words[1]) { note.text = words[2] }
  case "remove": for note in try notes(words[1]) { context.delete(note) }
  default: exit(64)
  }
  try context.save()
  say("done")
}
