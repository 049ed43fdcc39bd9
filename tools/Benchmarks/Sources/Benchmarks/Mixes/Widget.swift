import Foundation
import GRDB
import Tandem

/// The widget's process: prints the number of the record that is due next, and the time, whenever its list of ten shows
/// another one.
actor Widget {
  static let category = Category.personal
  private static let shown = 10

  private let device: URL

  init(device: URL) { self.device = device }

  func run() async throws {
    let container = try Workbench.container(Workbench.configuration(device, allowsSave: false))
    let category = Self.category
    var descriptor = FetchDescriptor<Subscription>(
      predicate: #Predicate { $0.category == category }, sortBy: [SortDescriptor(\.nextBillingDate)])
    descriptor.fetchLimit = Self.shown
    let list = try ResultsObserver(fetchDescriptor: descriptor, modelContainer: container)
    let changes = list.changes
    Self.say("ready")
    for try await _ in changes {
      if let first = list.results.first { Self.say(first.createdAt) }
    }
  }

  /// The same over GRDB, which does not hear of other processes: it asks every millisecond.
  static func runPeer(_ file: URL) throws {
    var configuration = Configuration()
    configuration.readonly = true
    let queue = try DatabaseQueue(path: file.path, configuration: configuration)
    let due = SubscriptionRecord.filter(Column("category") == category.rawValue)
      .order(Column("nextBillingDate")).limit(shown)
    var version = try queue.inDatabase { try Int.fetchOne($0, sql: "PRAGMA data_version") }
    say("ready")
    while true {
      Thread.sleep(forTimeInterval: 0.001)
      let next = try queue.inDatabase { try Int.fetchOne($0, sql: "PRAGMA data_version") }
      guard next != version else { continue }
      version = next
      if let first = try queue.read({ try due.fetchAll($0) }).first { say(first.createdAt) }
    }
  }

  /// A record's moment of making is its number.
  private static func say(_ number: Date) {
    say("\(Int(number.timeIntervalSinceReferenceDate)) \(Stopwatch.now())")
  }

  private static func say(_ line: String) { FileHandle.standardOutput.write(Data((line + "\n").utf8)) }
}
