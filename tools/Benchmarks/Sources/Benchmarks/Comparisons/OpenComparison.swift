import CPeers
import Foundation
import GRDB
import Tandem

/// From nothing to the first record of an existing store, with the files in memory and without.
struct OpenComparison {
  let bench: Workbench
  let data: Dataset

  struct Outcome {
    var comparisons: [Comparison]
    var ceilings: [Ceiling]
  }

  func all() throws -> Outcome {
    let comparisons = try comparisons()
    let warm = comparisons[0].sides.first.map { side in
      Ceiling("opening, warm", unit: "µs", figure: side.measurement.median * 1e6, most: 250)
    }
    return Outcome(comparisons: comparisons, ceilings: warm.map { [$0] } ?? [])
  }

  private func comparisons() throws -> [Comparison] {
    let name = "open"
    try {
      try Workbench.insert(data.subscriptions[...], into: bench.container(name))
      let peer = try PeerStore(bench.folder, name)
      try peer.insertByStatement(data.subscriptions[...])
      try peer.pool.close()
      if bench.objectBox != nil { _ = try bench.objectBoxStore(name, data.subscriptions) }
    }()
    return [
      try comparison("open to the first record, warm", name) { _ in },
      try comparison("open to the first record, cold", name) { try Self.dropFromMemory($0, name) },
    ]
  }

  private func comparison(
    _ title: String, _ name: String, _ prepare: @escaping (URL) throws -> Void
  ) throws -> Comparison {
    let row = data.subscriptions[data.subscriptions.count / 2]
    let id = row.id
    return try Comparison(
      title, unit: "opening", operations: 1, bench: bench, rounds: 3,
      contestants: [
        Contestant("Tandem") { _ in
          try prepare(bench.folder)
          // Returned, because closing is not part of it.
          return try Stopwatch.seconds { () -> ModelContext in
            let context = Workbench.context(try bench.container(name))
            let found = try context.fetch(FetchDescriptor<Subscription>(predicate: #Predicate { $0.id == id }))
            try ReadComparisons.expect(found.first?.amount == row.amount)
            return context
          }.0
        },
        Contestant("GRDB, Codable", target: 3) { _ in
          try prepare(bench.folder)
          return try Stopwatch.seconds { () -> DatabasePool in
            let pool = try DatabasePool(path: bench.folder.appending(path: name + ".sqlite").path)
            let found = try pool.read { try SubscriptionRecord.fetchOne($0, key: id) }
            try ReadComparisons.expect(found?.amount == row.amount)
            return pool
          }.0
        },
      ]
        + bench.besideObjectBox("prepared query") { _ in
          try prepare(bench.folder)
          return try Stopwatch.seconds { () -> ObjectBoxStore in
            let store = try bench.objectBoxStore(name)
            _ = try store.fetch([id.objectBoxID], expecting: row.amount)
            return store
          }.0
        })
  }

  /// Makes the system forget what it holds of the files, and looks whether it has: what is in use by somebody stays.
  private static func dropFromMemory(_ folder: URL, _ name: String) throws {
    guard let files = FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil) else { return }
    // `lock.mdb` is left alone: closing a descriptor of it would drop a living environment's locks.
    for case let file as URL in files
    where file.lastPathComponent != "lock.mdb" && file.path.hasPrefix(folder.appending(path: name).path) {
      let descriptor = open(file.path, O_RDONLY)
      guard descriptor >= 0 else { continue }
      defer { close(descriptor) }
      fdatasync(descriptor)
      posix_fadvise(descriptor, 0, 0, POSIX_FADV_DONTNEED)
      guard process_pages_in_memory(file.path) <= 0 else {
        throw BenchmarkError("\(file.lastPathComponent) stays in memory: an opening would not be cold")
      }
    }
  }
}
