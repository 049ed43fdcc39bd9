import Foundation
import HTTPTypes
import Hummingbird
import NIOCore
import Tandem

// `guest-book STORE [PORT]`: a guest book as JSON over HTTP, on this machine alone. Several of these serve one store.
// Ends with 0 at SIGTERM or Ctrl-C, with 64 if it is asked for anything else, and with 1 if it cannot serve.

@Model final class Entry {
  @Attribute(.unique) var id: UUID
  var author: String
  var text: String
  var writtenAt: Date

  init(author: String, text: String) {
    (id, self.author, self.text, writtenAt) = (UUID(), author, text, .now)
  }
}

/// An entry as a client gets it: a value, which may leave the actor.
struct EntryAnswer: ResponseEncodable {
  var id: UUID
  var author: String
  var text: String
  var writtenAt: Date

  init(_ entry: Entry) { (id, author, text, writtenAt) = (entry.id, entry.author, entry.text, entry.writtenAt) }
}

/// An entry as a client gives it.
struct EntryQuestion: Decodable {
  var author: String
  var text: String

  var isUsable: Bool { !author.isEmpty && author.count <= 100 && !text.isEmpty && text.count <= 2_000 }
}

/// The context of this process. A fetch sees what other workers have saved.
@ModelActor actor GuestBook {
  static let pageCount = 50

  /// The newest first, those before a moment: the next page begins behind the last entry of the one before.
  func entries(before date: Date?) throws -> [EntryAnswer] {
    let end = date ?? .distantFuture
    var fetch = FetchDescriptor<Entry>(
      predicate: #Predicate { $0.writtenAt < end }, sortBy: [SortDescriptor(\.writtenAt, order: .reverse)])
    fetch.fetchLimit = Self.pageCount
    return try modelContext.fetch(fetch).map { EntryAnswer($0) }
  }

  func write(_ question: EntryQuestion) throws -> EntryAnswer {
    let entry = Entry(author: question.author, text: question.text)
    modelContext.insert(entry)
    // Durable when it returns, and there for the other workers.
    try modelContext.save()
    return EntryAnswer(entry)
  }

  /// False: there is no such entry, or another worker was faster.
  func remove(_ id: UUID) throws -> Bool {
    guard let entry = try modelContext.fetch(FetchDescriptor<Entry>(predicate: #Predicate { $0.id == id })).first
    else { return false }
    modelContext.delete(entry)
    try modelContext.save()
    return true
  }
}

func router(_ book: GuestBook) -> Router<BasicRequestContext> {
  let router = Router()
  router.get("entries") { request, _ in
    let before = request.uri.queryParameters.get("before", as: Double.self).map { Date(timeIntervalSince1970: $0) }
    return try await book.entries(before: before)
  }
  router.post("entries") { request, context in
    let question = try await request.decode(as: EntryQuestion.self, context: context)
    guard question.isUsable else {
      throw HTTPError(.unprocessableContent, message: "author has 1 to 100 letters, text 1 to 2000")
    }
    return EditedResponse(status: .created, response: try await book.write(question))
  }
  router.delete("entries/:id") { _, context in
    let id = try context.parameters.require("id", as: UUID.self)
    return try await book.remove(id) ? HTTPResponse.Status.noContent : .notFound
  }
  return router
}

func write(_ text: String, to file: FileHandle) { file.write(Data((text + "\n").utf8)) }

let words = CommandLine.arguments
guard (2...3).contains(words.count), let port = words.count == 3 ? Int(words[2]) : 0 else {
  write("guest-book: say 'guest-book STORE' or 'guest-book STORE PORT'", to: .standardError)
  exit(64)
}
do {
  let store = ModelConfiguration(url: URL(filePath: words[1]))
  let book = GuestBook(modelContainer: try ModelContainer(for: Entry.self, configurations: store))
  let server = Application(
    router: router(book), configuration: ApplicationConfiguration(address: .hostname("127.0.0.1", port: port)),
    onServerRunning: { channel in
      write("http://127.0.0.1:\(channel.localAddress?.port ?? port)", to: .standardOutput)
    })
  try await server.runService()
} catch {
  write("guest-book: \(error)", to: .standardError)
  exit(1)
}
