import Foundation
import RecordStore
import Tandem
import Testing

@Model final class Note {
  var text: String
  init(text: String) { self.text = text }
}

/// Containers as an app makes them on several devices, and the folder that they share.
struct Devices {
  let root: URL
  var folder: URL { root.appending(path: "exchange") }

  /// A folder for the time of a closure; then the invariants of all stores that were made in it are checked.
  static func with<Result>(_ body: (Devices) async throws -> Result) async throws -> Result {
    let root = FileManager.default.temporaryDirectory.appending(path: "tandem-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: root, withIntermediateDirectories: true)
    defer { #expect(throws: Never.self) { try FileManager.default.removeItem(at: root) } }
    let result = try await body(Devices(root: root))
    for path in try FileManager.default.subpathsOfDirectory(atPath: root.path) where path.hasSuffix(".store") {
      let store = try RecordStore.open(StoreConfiguration(url: root.appending(path: path), isReadOnly: true))
      #expect(try store.integrityViolations() == [], "\(path)")
    }
    return result
  }

  func directory(_ device: String) -> URL { root.appending(path: device) }

  func store(_ device: String, _ place: String = "group.org.example.notes/Notes") -> URL {
    directory(device).appending(path: "\(place).store")
  }

  func container(_ device: String, _ place: String = "group.org.example.notes/Notes") throws -> ModelContainer {
    let url = store(device, place)
    try FileManager.default.createDirectory(at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
    var configuration = ModelConfiguration(url: url)
    // These tests need the order of commits alone.
    configuration.durability = .relaxed
    return try ModelContainer(for: Note.self, configurations: configuration)
  }
}

func add(_ texts: String..., to container: ModelContainer) throws {
  let context = ModelContext(container)
  for text in texts { context.insert(Note(text: text)) }
  try context.save()
}

func texts(_ container: ModelContainer) throws -> [String] {
  try ModelContext(container).fetch(FetchDescriptor<Note>()).map(\.text).sorted()
}

/// Waits until a container has such texts, as its commits come.
func expect(_ expected: [String], in container: ModelContainer) async throws {
  var changes = container.changes.makeAsyncIterator()
  while try texts(container) != expected { try #require(try await changes.next() != nil) }
}
