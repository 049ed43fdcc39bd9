import Foundation
import Tandem

/// The work whose instructions are kept as thresholds. Seeds and sizes are fixed: a change of them writes the
/// thresholds anew.
struct HotPaths {
  let bench: Workbench
  private let data = Dataset(count: 2_000)
  private let stores = FixedStores()

  init(bench: Workbench) { self.bench = bench }

  var all: [HotPath] { saves + fetches + reads + scans + HotSyncPaths(bench: bench).all }

  private var rows: [SubscriptionRow] { data.subscriptions }

  /// The store that is only read, made when it is first asked for.
  private func context() throws -> ModelContext {
    Workbench.context(
      try stores.subscriptions {
        let container = try bench.container("hot-reads")
        try Workbench.insert(rows[...], into: container)
        return container
      })
  }

  private func emptyContext() throws -> ModelContext {
    Workbench.context(try bench.container("hot-\(stores.nextNumber())"))
  }
}

/// What the paths share.
private final class FixedStores {
  private var container: ModelContainer?
  private var number = 0

  func subscriptions(_ make: () throws -> ModelContainer) rethrows -> ModelContainer {
    let made = try container ?? make()
    container = made
    return made
  }

  func nextNumber() -> Int {
    number += 1
    return number
  }
}

// Saves: from objects to the flushed commit, in whatever threads.
extension HotPaths {
  private var saves: [HotPath] {
    [
      HotPath("insert, one save of all", unit: "record", operations: rows.count) {
        let context = try emptyContext()
        return {
          for row in rows { context.insert(Subscription(row)) }
          try context.save()
        }
      },
      HotPath("insert, a save each", unit: "save", operations: 100) {
        let context = try emptyContext()
        return {
          for row in rows[..<100] {
            context.insert(Subscription(row))
            try context.save()
          }
        }
      },
      HotPath("update one attribute, one save of all", unit: "record", operations: rows.count) {
        let context = try self.context()
        let models = try context.fetch(FetchDescriptor<Subscription>())
        return {
          for model in models { model.amount += 1 }
          try context.save()
        }
      },
      HotPath("delete with five children, one save of all", unit: "parent", operations: 200) {
        let context = try emptyContext()
        try PurchaseComparisons.fill(PurchaseRow.batch(0, of: 200), context)
        let parents = try context.fetch(FetchDescriptor<PurchaseRecord>())
        return {
          for parent in parents { context.delete(parent) }
          try context.save()
        }
      },
    ]
  }
}

// Fetches that make objects.
extension HotPaths {
  private var fetches: [HotPath] {
    [
      HotPath("open to the first record, and close", unit: "start", operations: 20) {
        // So few that no other thread helps, whose work valgrind could count as that of the openings.
        try Workbench.insert(rows[..<100], into: bench.container("hot-openings"))
        let id = rows[50].id
        return {
          for _ in 0..<20 {
            let context = Workbench.context(try bench.container("hot-openings"))
            let found = try context.fetch(FetchDescriptor<Subscription>(predicate: #Predicate { $0.id == id }))
            try ReadComparisons.expect(found.count == 1)
          }
        }
      },
      HotPath("save of one record to a live result of another context", unit: "save", operations: 50) {
        let container = try bench.container("hot-\(stores.nextNumber())")
        try Workbench.insert(rows[...], into: container)
        let (writer, reader) = (Workbench.context(container), Workbench.context(container))
        let list = try ResultsObserver<Subscription, Never>(
          sortBy: [SortDescriptor(\.createdAt)], modelContext: reader)
        let more = Dataset(count: rows.count + 50).subscriptions[rows.count...]
        return {
          for (number, row) in zip(1..., more) {
            writer.insert(Subscription(row))
            try writer.save()
            reader.processPendingChanges()
            try ReadComparisons.expect(list.results.count == rows.count + number)
          }
        }
      },
      HotPath("point fetch by unique attribute", unit: "fetch", operations: 1_000) {
        let context = try self.context()
        let ids = data.randomIndices(1_000).map { rows[$0].id }
        return {
          for id in ids {
            var descriptor = FetchDescriptor<Subscription>(predicate: #Predicate { $0.id == id })
            descriptor.fetchLimit = 1
            try ReadComparisons.expect(try context.fetch(descriptor).count == 1)
          }
        }
      },
      HotPath("fetch all", unit: "record", operations: rows.count) {
        let context = try self.context()
        var found: [Subscription] = []
        return {
          found = try context.fetch(FetchDescriptor<Subscription>())
          try ReadComparisons.expect(found.count == rows.count)
        }
      },
      HotPath("indexed range, sorted, limit 100", unit: "query", operations: 50) {
        let context = try self.context()
        let days = (0..<50).map { Date(timeIntervalSinceReferenceDate: Double($0 * 60) * 86_400) }
        return { try Growth.ranges(days, context) }
      },
      HotPath("to-many: five children of one parent", unit: "parent", operations: 200) {
        let context = try emptyContext()
        try PurchaseComparisons.fill(PurchaseRow.batch(0, of: 200), context)
        let fresh = Workbench.context(context.container)
        let parents = try fresh.fetch(FetchDescriptor<PurchaseRecord>())
        var children: [[PurchaseCredit]] = []
        children.reserveCapacity(parents.count)
        return {
          for parent in parents { children.append(parent.credits) }
          try ReadComparisons.expect(children.allSatisfy { $0.count == PurchaseRow.creditsEach })
        }
      },
    ]
  }
}

// Attributes of objects that are there.
extension HotPaths {
  private var reads: [HotPath] {
    [
      read("read a number", { $0.amount }),
      read("read a text of 20 bytes first", { Double($0.name.utf8.count) }),
      read("read a text again", isRepeated: true, { Double($0.name.utf8.count) }),
      read("read a date", { $0.nextBillingDate.timeIntervalSinceReferenceDate }),
      read("read an enumeration", { $0.category == .personal ? 1 : 2 }),
    ]
  }

  private func read(
    _ name: String, isRepeated: Bool = false, _ value: @escaping (Subscription) -> Double
  ) -> HotPath {
    HotPath(name, unit: "read", operations: rows.count) {
      let models = try self.context().fetch(FetchDescriptor<Subscription>())
      let work = { try ReadComparisons.expect(models.reduce(0) { $0 + value($1) } != 0) }
      if isRepeated { try work() }
      return work
    }
  }
}

// What looks at every row and makes no object.
extension HotPaths {
  private var scans: [HotPath] {
    [
      HotPath("count, unindexed filter", unit: "row", operations: rows.count) {
        let context = try self.context()
        return { try Growth.count(context) }
      },
      HotPath("sum", unit: "row", operations: rows.count) {
        let context = try self.context()
        return { try ReadComparisons.expect(try context.aggregate(.sum(of: \Subscription.amount)) > 0) }
      },
      HotPath("count and sum by group", unit: "row", operations: rows.count) {
        let context = try self.context()
        return {
          let groups = try context.aggregate(.count, .sum(of: \.amount), groupedBy: \Subscription.frequency)
          try ReadComparisons.expect(groups.count == Frequency.allCases.count)
        }
      },
    ]
  }
}
