import Foundation
import HabitStore
import Tandem

// Shows the habits in one line, and again after every save of the app, until it is ended. Exits with 1 if there is no
// store yet, as a widget does not make one.

@MainActor func show(_ context: ModelContext) throws {
  let lines = try HabitStore.habits(in: context).map(\.line)
  let text = lines.isEmpty ? "no habits" : lines.joined(separator: ", ")
  FileHandle.standardOutput.write(Data((text + "\n").utf8))
}

do {
  let container = try HabitStore.container(allowsSave: false)
  // It listens before it shows, so no save falls between the two.
  var changes = container.changes.makeAsyncIterator()
  let context = ModelContext(container)
  repeat { try show(context) } while try await changes.next() != nil
} catch {
  FileHandle.standardError.write(Data("habits-widget: \(error)\n".utf8))
  exit(1)
}
