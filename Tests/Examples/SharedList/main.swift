import Foundation
import Tandem
import TandemSync

// `shared-list DEVICE FOLDER`: a shopping list on a device, kept equal with other devices through a folder that any
// tool moves. Takes a command a line, `add TITLE`, `amount N TITLE`, `tick TITLE`, `remove TITLE`, and shows the list
// when it starts and whenever it changes, here or there. The end of its input ends it, when the folder has its changes.

@Model final class Item {
  @Attribute(.unique) var title: String
  var amount = 1
  var isTicked = false

  init(title: String) { self.title = title }

  var text: String { "\(isTicked ? "✓ " : "")\(amount) \(title)" }
}

/// Trouble that the person can mend; nothing was changed.
struct Refusal: Error {
  var sentence: String
}

func item(_ title: String, in context: ModelContext) throws -> Item {
  let found = try context.fetch(FetchDescriptor<Item>(predicate: #Predicate { $0.title == title })).first
  guard let found else { throw Refusal(sentence: "there is no '\(title)' on the list") }
  return found
}

func change(_ line: String, in context: ModelContext) throws {
  let words = line.split(separator: " ", maxSplits: 1).map(String.init)
  let rest = words.count == 2 ? words[1] : ""
  switch (words.first, rest.isEmpty) {
  case ("add", false): context.insert(Item(title: rest))
  case ("tick", false): try item(rest, in: context).isTicked = true
  case ("remove", false): context.delete(try item(rest, in: context))
  case ("amount", false):
    let parts = rest.split(separator: " ", maxSplits: 1).map(String.init)
    guard parts.count == 2, let amount = Int(parts[0]) else { throw Refusal(sentence: "say 'amount 2 Milk'") }
    try item(parts[1], in: context).amount = amount
  default: throw Refusal(sentence: "say 'add', 'amount', 'tick' or 'remove', and a title")
  }
  try context.save()
}

/// At once, also into a pipe.
@Sendable func write(_ text: String, to file: FileHandle = .standardOutput) { file.write(Data((text + "\n").utf8)) }

/// Shows the list now and after each save of this device and each merge.
@Sendable func follow(_ container: ModelContainer) async {
  do {
    var changes = container.changes.makeAsyncIterator()
    let context = ModelContext(container)
    var shown: String?
    repeat {
      let items = try context.fetch(FetchDescriptor<Item>(sortBy: [SortDescriptor(\.title)]))
      let text = items.isEmpty ? "nothing" : items.map(\.text).joined(separator: ", ")
      if text != shown { write(text) }
      shown = text
    } while try await changes.next() != nil
  } catch {
    write("shared-list: \(error)", to: .standardError)
    exit(1)
  }
}

let words = CommandLine.arguments
guard words.count == 3 else {
  write("shared-list: say 'shared-list DEVICE FOLDER'", to: .standardError)
  exit(64)
}
// The group and the name are the same on each device: by them the stores are one family.
let configuration = ModelConfiguration(
  "List", groupContainer: .identifier("group.org.example.list"), containerRoot: URL(filePath: words[1]))
let container = try ModelContainer(for: Item.self, configurations: configuration)
var watch = WatchOptions()
watch.saveDelay = .milliseconds(200)
let sync = try AutomaticSync(container: container, folder: URL(filePath: words[2]), watch: watch)
Task.detached { await follow(container) }
let context = ModelContext(container)
while let line = readLine() {
  do {
    try change(line, in: context)
  } catch let refusal as Refusal {
    write("shared-list: \(refusal.sentence)", to: .standardError)
  }
}
// A program that ends publishes what it has not published yet.
_ = try await sync.sync()
await sync.stop()
