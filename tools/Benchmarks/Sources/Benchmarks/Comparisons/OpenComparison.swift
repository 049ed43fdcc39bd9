import Foundation
import GRDB
import Tandem

/// From nothing to the first record of an existing store, with the files in memory and without.
struct OpenComparison {
  let bench: Workbench
  let data: Dataset

  func all() throws -> [Comparison] {
    let name = "open"
    try {
      try Workbench.insert(data.subscriptions[...], into: bench.container(name))
      let peer = try PeerStore(bench.folder, name)
      try peer.insertByStatement(data.subscriptions[...])
      try peer.pool.close()
    }()
    return [
      try comparison("open to the first record, warm", name) { _ in },
      try comparison("open to the first record, cold", name) { try Self.dropFromMemory($0) },
    ]
  }

  private func comparison(
    _ title: String, _ name: String, _ prepare: @escaping (URL) throws -> Void
  ) throws -> Comparison {
    let id = data.subscriptions[data.subscriptions.count / 2].id
    return try Comparison(
      title, unit: "opening", operations: 1, bench: bench, rounds: 3,
      contestants: [
        Contestant("Tandem") { _ in
          try prepare(bench.folder)
          return try Stopwatch.seconds {
            let context = Workbench.context(try bench.container(name))
            let found = try context.fetch(FetchDescriptor<Subscription>(predicate: #Predicate { $0.id == id }))
            try ReadComparisons.expect(found.first?.amount ?? -1 >= 0)
          }.0
        },
        Contestant("GRDB, Codable", target: 2) { _ in
          try prepare(bench.folder)
          return try Stopwatch.seconds {
            let pool = try DatabasePool(path: bench.folder.appending(path: name + ".sqlite").path)
            try ReadComparisons.expect(try pool.read { try SubscriptionRecord.fetchOne($0, key: id) } != nil)
          }.0
        },
      ])
  }

  /// Asks the system to forget what it holds of the files; what is not yet on the device stays.
  private static func dropFromMemory(_ folder: URL) throws {
    guard let files = FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil) else { return }
    // `lock.mdb` is left alone: closing a descriptor of it would drop a living environment's locks.
    for case let file as URL in files where file.lastPathComponent != "lock.mdb" {
      let descriptor = open(file.path, O_RDONLY)
      guard descriptor >= 0 else { continue }
      defer { close(descriptor) }
      fdatasync(descriptor)
      posix_fadvise(descriptor, 0, 0, POSIX_FADV_DONTNEED)
    }
  }
}
