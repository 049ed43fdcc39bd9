import Foundation
import RecordStore
import RecordSync
import Tandem
import Testing

/// Keeps the files of all devices in a table, as a server would.
actor Shelf: ExchangeTransport {
  nonisolated let name = "https://example.org/shelf"
  private var files: [String: Data] = [:]

  func list() -> [TransportFile]? {
    files.map { TransportFile(path: $0.key, byteCount: $0.value.count) }
  }

  func get(_ paths: [String], into folder: URL) throws {
    for path in paths {
      guard let bytes = files[path] else { continue }
      let file = folder.appending(path: path)
      try FileManager.default.createDirectory(at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
      try bytes.write(to: file)
    }
  }

  func put(_ paths: [String], from folder: URL) throws {
    for path in paths { files[path] = try Data(contentsOf: folder.appending(path: path)) }
  }

  func remove(_ paths: [String]) {
    for path in paths { files[path] = nil }
  }
}

/// The code of the article Transports.
struct TransportsTests {
  private func container(in root: URL) throws -> ModelContainer {
    let configuration = ModelConfiguration(
      "Books", groupContainer: .identifier("group.org.example.books"), containerRoot: root)
    return try ModelContainer(for: Expense.self, configurations: configuration)
  }

  private func synchronize(_ root: URL, _ shelf: Shelf) async throws -> DeviceReport {
    let device = try DeviceDirectory(root)
    var options = DeviceSync.Options()
    options.only = [DeviceDirectory.Place(group: "group.org.example.books", name: "Books")]
    let report = try await DeviceSync(options: options).synchronize(device, transport: shelf)
    for trouble in report.troubles { print(trouble) }
    return report
  }

  @Test func `an app brings a transport of its own`() async throws {
    try await withFolder { folder in
      let (phone, laptop) = (folder.appending(path: "phone"), folder.appending(path: "laptop"))
      for root in [phone, laptop] {
        try FileManager.default.createDirectory(at: root, withIntermediateDirectories: true)
      }
      let shelf = Shelf()
      let (here, there) = (try container(in: phone), try container(in: laptop))
      let context = ModelContext(here)
      context.insert(Expense(shop: "Bakery", amount: 4))
      try context.save()
      #expect(try await synchronize(phone, shelf).isComplete)
      #expect(try await synchronize(laptop, shelf).isComplete)
      #expect(try ModelContext(there).fetch(FetchDescriptor<Expense>()).map(\.shop) == ["Bakery"])
      #expect(try await synchronize(phone, shelf).isComplete)
      #expect(try await synchronize(phone, shelf).isUnchanged)
    }
  }
}
