import Tandem

// A program with an asynchronous `main` that never calls `save()`: `<store>`.
@Model final class Note {
  var text: String
  init(text: String) { self.text = text }
}

@main struct AsyncProgram {
  @MainActor private static func endHere() { exit(0) }

  static func main() async throws {
    let configuration = ModelConfiguration(url: URL(fileURLWithPath: CommandLine.arguments[1]))
    let container = try ModelContainer(for: Note.self, configurations: configuration)
    await MainActor.run { container.mainContext.insert(Note(text: "kept")) }
    if CommandLine.arguments.contains("exit") { endHere() }
  }
}
