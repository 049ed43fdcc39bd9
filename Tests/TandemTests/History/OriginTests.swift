import Foundation
import RecordStore
import Tandem
import Testing

/// History names a process by its number, and the first one of a container has 1 at every launch.
struct OriginTests {
  @Test func `what was saved before a process opened the store is of another one, also of one with its number`()
    async throws
  {
    try await withContainer(for: [Note.self]) { container in
      let context = ModelContext(container)
      context.insert(Note(text: "before"))
      try context.save()
      let folder = container.store.url.deletingLastPathComponent().appending(path: "later")
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      let url = folder.appending(path: "test.store")
      try FileManager.default.copyItem(at: container.store.url, to: url)
      // For the copy, the process that made the transaction has gone: it has never been opened here.
      for number in 1...2 {
        let later = try ModelContainer(for: Note.self, configurations: ModelConfiguration(url: url))
        let writer = ModelContext(later)
        writer.insert(Note(text: "now"))
        try writer.save()
        let found = try writer.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>())
        #expect(found.map(\.origin) == [.otherProcess] + Array(repeating: .thisProcess, count: number))
      }
      let own = try context.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>())
      #expect(own.map(\.origin) == [.thisProcess])
    }
  }

  @Test func `saves before a store was closed are this process's, by another spelling of its path, too`() async throws {
    let root = FileManager.default.temporaryDirectory.appending(path: "tandem-\(UUID().uuidString)")
    defer { #expect(throws: Never.self) { try FileManager.default.removeItem(at: root) } }
    let folder = root.appending(path: "folder")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let link = root.appending(path: "link")
    try FileManager.default.createSymbolicLink(at: link, withDestinationURL: folder)
    for (number, place) in [folder, link, folder.appending(path: "../link"), folder].enumerated() {
      let url = place.appending(path: "test.store")
      let container = try ModelContainer(for: Note.self, configurations: ModelConfiguration(url: url))
      let context = ModelContext(container)
      let found = try context.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>())
      #expect(found.map(\.origin) == Array(repeating: .thisProcess, count: number), "\(place.path)")
      context.insert(Note(text: "\(number)"))
      try context.save()
      #expect(try container.store.integrityViolations() == [])
    }
  }
}
