import Foundation
import GRDB
import Tandem

/// A server's second: 200 requests on one store from 8 tasks, 95 % of which read: two thirds of these one record by its
/// id, a third the next twenty of a category. The others insert a record, durably.
struct ServerSecond {
  static let name = "a server's second"
  private static let requests = 200
  private static let tasks = 8

  let bench: Workbench
  let data: Dataset

  var mix: Mix {
    get throws {
      let container = try bench.container("server")
      let peer = try PeerStore(bench.folder, "server")
      let source = RowSource()
      try Workbench.insert(data.subscriptions[...], into: container)
      if !bench.isAlone { try peer.insertByStatement(data.subscriptions[...]) }
      return Mix(
        name: Self.name, unit: "request", operations: Self.requests,
        sides: [
          Mix.Side("Tandem, model actors") { run in
            let workers = (0..<Self.tasks).map { _ in ServerWorker(modelContainer: container) }
            return try await Self.serve(requests(run, source)) { task, request in
              try await workers[task].answer(request)
            }
          },
          Mix.Side("GRDB, Codable, FULL", target: Mixes.target) { run in
            let pool = peer.pool
            return try await Self.serve(requests(run, source)) { _, request in try await request.answer(pool) }
          },
        ])
    }
  }

  private func requests(_ run: Int, _ source: RowSource) -> [ServerRequest] {
    var generator = SplitMix(seed: 13 + UInt64(run + 1))
    return (0..<Self.requests).map { number in
      let row = data.subscriptions[Int(generator.next() % UInt64(data.subscriptions.count))]
      if number % 20 == 10 { return .insert(source.next(1)[0]) }
      return number % 3 == 0 ? .next(row.category, row.nextBillingDate) : .one(row.id, amount: row.amount)
    }
  }

  /// Seconds until all are answered; each task takes every eighth.
  private static func serve(
    _ requests: [ServerRequest], _ answer: @escaping @Sendable (Int, ServerRequest) async throws -> Void
  ) async throws -> Double {
    let start = Stopwatch.now()
    try await withThrowingTaskGroup(of: Void.self) { group in
      for task in 0..<tasks {
        group.addTask {
          for number in stride(from: task, to: requests.count, by: tasks) { try await answer(task, requests[number]) }
        }
      }
      try await group.waitForAll()
    }
    return Double(Stopwatch.now() - start) / 1e9
  }
}

private enum ServerRequest: Sendable {
  case one(UUID, amount: Double)
  case next(Category, Date)
  case insert(SubscriptionRow)

  static let most = 20

  func answer(_ pool: DatabasePool) async throws {
    switch self {
    case .one(let id, let amount):
      let found = try await pool.read { try SubscriptionRecord.fetchOne($0, key: id) }
      try ReadComparisons.expect(found?.amount == amount)
    case .next(let category, let day):
      let found = try await pool.read { database in
        try SubscriptionRecord.filter(Column("category") == category.rawValue)
          .filter(Column("nextBillingDate") >= day.timeIntervalSinceReferenceDate)
          .order(Column("nextBillingDate")).limit(Self.most).fetchAll(database)
      }
      try ReadComparisons.expect(found.first?.nextBillingDate == day)
    case .insert(let row):
      try await pool.write { try SubscriptionRecord(row).insert($0) }
    }
  }
}

/// A handler with a context of its own.
@ModelActor private actor ServerWorker {
  func answer(_ request: ServerRequest) throws {
    switch request {
    case .one(let id, let amount):
      let found = try modelContext.fetch(FetchDescriptor<Subscription>(predicate: #Predicate { $0.id == id }))
      try ReadComparisons.expect(found.first?.amount == amount)
    case .next(let category, let day):
      var descriptor = FetchDescriptor<Subscription>(
        predicate: #Predicate { $0.category == category && $0.nextBillingDate >= day },
        sortBy: [SortDescriptor(\.nextBillingDate)])
      descriptor.fetchLimit = ServerRequest.most
      try ReadComparisons.expect(try modelContext.fetch(descriptor).first?.nextBillingDate == day)
    case .insert(let row):
      modelContext.insert(Subscription(row))
      try modelContext.save()
    }
  }
}
