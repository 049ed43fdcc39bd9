import Foundation
import Tandem

/// Inserting and fetching through the model layer, as an app does.
struct StoreBenchmarks {
  let bench: Workbench
  let records: Int

  func all() throws -> [Measurement] {
    let insert = try insert()
    let container = try bench.container("insert-0")
    return [
      insert, try pointFetch(container), try fetchAll(container), try fetchAndRead(container),
      try filteredFetch(container), try count(container), try smallCommits(),
    ]
  }

  /// All records in one save, durable at its end. Each run has a store of its own.
  private func insert() throws -> Measurement {
    var bytes = 0
    let times = try bench.times { run in
      let container = try bench.container("insert-\(run)")
      let (seconds, _) = try Stopwatch.seconds {
        let context = Self.context(container)
        for number in 0..<records { context.insert(Entry(number: number)) }
        try context.save()
      }
      bytes = try Workbench.bytes(below: bench.folder.appending(path: "insert-\(run)"))
      return seconds
    }
    return Measurement(name: "insert, one save", unit: "record", operations: records, seconds: times, fileBytes: bytes)
  }

  /// One record by its unique number, in random order, in a context that has nothing registered.
  private func pointFetch(_ container: ModelContainer) throws -> Measurement {
    let lookups = min(records, 5_000)
    var generator = SplitMix(seed: 7)
    let numbers = (0..<lookups).map { _ in Int(generator.next() % UInt64(records)) }
    let times = try bench.times { _ in
      let context = Self.context(container)
      return try Stopwatch.seconds {
        for number in numbers {
          var descriptor = FetchDescriptor<Entry>(predicate: #Predicate { $0.number == number })
          descriptor.fetchLimit = 1
          guard try context.fetch(descriptor).count == 1 else { throw BenchmarkError("a record is missing") }
        }
      }.0
    }
    return Measurement(name: "point fetch by unique key", unit: "fetch", operations: lookups, seconds: times)
  }

  private func fetchAll(_ container: ModelContainer) throws -> Measurement {
    let times = try bench.times { _ in
      let context = Self.context(container)
      return try Stopwatch.seconds {
        guard try context.fetch(FetchDescriptor<Entry>()).count == records else {
          throw BenchmarkError("records are missing")
        }
      }.0
    }
    return Measurement(name: "fetch of all", unit: "record", operations: records, seconds: times)
  }

  private func fetchAndRead(_ container: ModelContainer) throws -> Measurement {
    let times = try bench.times { _ in
      let context = Self.context(container)
      return try Stopwatch.seconds {
        let sum = try context.fetch(FetchDescriptor<Entry>()).reduce(0) { $0 + $1.category + $1.name.utf8.count }
        guard sum > 0 else { throw BenchmarkError("the sum is wrong") }
      }.0
    }
    return Measurement(name: "fetch of all, two values read", unit: "record", operations: records, seconds: times)
  }

  /// The hundred earliest of one category since a day: an index range in index order.
  private func filteredFetch(_ container: ModelContainer) throws -> Measurement {
    let queries = 200
    let times = try bench.times { _ in
      let context = Self.context(container)
      return try Stopwatch.seconds {
        for query in 0..<queries {
          let category = query % 16
          let day = Date(timeIntervalSince1970: Double(query * 7) * 86_400)
          var descriptor = FetchDescriptor<Entry>(
            predicate: #Predicate { $0.category == category && $0.day >= day }, sortBy: [SortDescriptor(\.day)])
          descriptor.fetchLimit = 100
          _ = try context.fetch(descriptor)
        }
      }.0
    }
    return Measurement(name: "filtered, sorted, limit 100", unit: "query", operations: queries, seconds: times)
  }

  /// A filter that no index answers.
  private func count(_ container: ModelContainer) throws -> Measurement {
    let times = try bench.times { _ in
      let context = Self.context(container)
      return try Stopwatch.seconds {
        let limit = Decimal(50)
        _ = try context.fetchCount(FetchDescriptor<Entry>(predicate: #Predicate { $0.amount > limit }))
      }.0
    }
    return Measurement(name: "count, unindexed filter", unit: "record", operations: records, seconds: times)
  }

  /// One record a save: what a person's edits cost.
  private func smallCommits() throws -> Measurement {
    let commits = 200
    var next = records
    let container = try bench.container("commits")
    let times = try bench.times { _ in
      let context = Self.context(container)
      return try Stopwatch.seconds {
        for _ in 0..<commits {
          context.insert(Entry(number: next))
          next += 1
          try context.save()
        }
      }.0
    }
    return Measurement(name: "durable save of one record", unit: "save", operations: commits, seconds: times)
  }

  static func context(_ container: ModelContainer) -> ModelContext {
    let context = ModelContext(container)
    context.autosaveEnabled = false
    return context
  }
}

/// A benchmark that measured nonsense must not report it.
struct BenchmarkError: Error, CustomStringConvertible {
  var description: String
  init(_ description: String) { self.description = description }
}

/// SplitMix64: the same numbers in every run.
struct SplitMix: RandomNumberGenerator {
  private var state: UInt64
  init(seed: UInt64) { state = seed }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var value = state
    value = (value ^ (value >> 30)) &* 0xBF58_476D_1CE4_E5B9
    value = (value ^ (value >> 27)) &* 0x94D0_49BB_1331_11EB
    return value ^ (value >> 31)
  }
}
