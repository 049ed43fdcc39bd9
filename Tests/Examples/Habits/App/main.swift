import Foundation
import HabitStore
import Tandem

// `habits add NAME`, `habits keep NAME`, `habits remove NAME`, `habits list`. Exits with 64 if it is asked for anything
// else, and with 1 if it cannot do what it is asked for.

func fail(_ message: String, code: Int32) -> Never {
  FileHandle.standardError.write(Data("habits: \(message)\n".utf8))
  exit(code)
}

func today() -> String { Date.now.formatted(Date.ISO8601FormatStyle(timeZone: .current).year().month().day()) }

func habit(named name: String, in context: ModelContext) throws -> Habit {
  let found = try context.fetch(FetchDescriptor<Habit>(predicate: #Predicate { $0.name == name })).first
  guard let found else { fail("there is no habit '\(name)'; add it first", code: 1) }
  return found
}

func run(_ words: [String]) throws {
  let context = ModelContext(try HabitStore.container(allowsSave: true))
  switch (words.first, words.dropFirst().first, words.count) {
  case ("add", let name?, 2): context.insert(Habit(name: name))
  case ("keep", let name?, 2): try habit(named: name, in: context).keep(on: today())
  case ("remove", let name?, 2): context.delete(try habit(named: name, in: context))
  case ("list", nil, 1): for habit in try HabitStore.habits(in: context) { print(habit.line) }
  default: fail("say 'add NAME', 'keep NAME', 'remove NAME' or 'list'", code: 64)
  }
  // Durable when it returns; the widget shows it at once.
  try context.save()
}

do {
  try run(Array(CommandLine.arguments.dropFirst()))
} catch {
  fail("\(error)", code: 1)
}
