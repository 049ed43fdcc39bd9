import CPeers
import Foundation

/// A store of ObjectBox in a folder of its own, with the same rows as flatbuffers. Its commits are durable as ours are:
/// its library writes pages, flushes them, and then writes the page that makes them valid through a descriptor that
/// waits for the device. That is its default, and its interface has nothing else.
final class ObjectBoxStore {
  private let peer: OpaquePointer

  init(library: String, folder: URL) throws {
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    guard let peer = objectbox_open(library, folder.path) else {
      throw BenchmarkError("the store of ObjectBox in \(folder.path) cannot be opened")
    }
    self.peer = peer
  }

  deinit { objectbox_close(peer) }

  /// In one transaction.
  func insert(_ rows: ArraySlice<SubscriptionRow>) throws {
    try write {
      for row in rows {
        var numbers = row.objectBoxNumbers
        try Self.check(
          objectbox_put(
            peer, &numbers, row.name, row.frequency.rawValue, row.category.rawValue, row.notes))
      }
    }
  }

  /// Parents with their children, in one transaction.
  func fill(_ rows: [PurchaseRow]) throws {
    try write {
      for row in rows {
        var id = row.id.objectBoxID
        try Self.check(
          objectbox_put_purchase(
            peer, &id, row.transactionID, row.productID, "\(row.price)", row.date.objectBoxDate,
            Int32(PurchaseRow.creditsEach)))
      }
    }
  }

  private func write(_ body: () throws -> Void) throws {
    try Self.check(objectbox_begin(peer))
    try body()
    try Self.check(objectbox_commit(peer))
  }

  /// All records, each decoded into a value with all of its attributes.
  func all() throws -> [ObjectBoxRow] {
    try Self.check(objectbox_scan_begin(peer))
    var rows: [ObjectBoxRow] = []
    while let view = objectbox_scan_next(peer) { rows.append(try ObjectBoxRow(view.pointee)) }
    try Self.check(objectbox_scan_end(peer))
    return rows
  }

  // What follows gives seconds, and throws where the side finds something else than it should.

  func sumWhereTheyLie(expecting sum: Double) throws -> Double { try timed(sum) { objectbox_scan(peer, &$0) } }

  func fetch(_ ids: [objectbox_uuid], expecting sum: Double) throws -> Double {
    try timed(sum) { objectbox_fetch(peer, ids, ids.count, &$0) }
  }

  func count(above least: Double, expecting count: Int) throws -> Double {
    try timed(Double(count)) { objectbox_count(peer, least, &$0) }
  }

  func sum(expecting sum: Double) throws -> Double { try timed(sum) { objectbox_sum(peer, &$0) } }

  /// The first hundred of a category from each day on, the categories in turn.
  func ranges(from days: [Date], expecting sumOfDates: Double) throws -> Double {
    let (categories, dates) = (Category.allCases.map(\.rawValue), days.map(\.objectBoxDate))
    return try timed(sumOfDates * 1_000) {
      objectbox_ranges(peer, categories[0], categories[1], dates, dates.count, &$0)
    }
  }

  func update() throws -> Double { try Self.check(objectbox_update(peer)) }

  /// With their children, one by one, in one transaction.
  func deletePurchases(_ ids: [objectbox_uuid]) throws -> Double {
    let before = purchasesAndCredits
    let seconds = try Self.check(objectbox_delete_purchases(peer, ids, ids.count))
    let after = purchasesAndCredits
    try ReadComparisons.expect(
      before.purchases - after.purchases == ids.count
        && before.credits - after.credits == ids.count * PurchaseRow.creditsEach)
    return seconds
  }

  private var purchasesAndCredits: (purchases: Int, credits: Int) {
    (Int(objectbox_count_purchases(peer)), Int(objectbox_count_credits(peer)))
  }

  private func timed(_ expected: Double, _ body: (inout Double) -> Double) throws -> Double {
    var found = 0.0
    let seconds = try Self.check(body(&found))
    try ReadComparisons.expect(expected) { found }
    return seconds
  }

  @discardableResult
  private static func check<Number: Comparable & ExpressibleByIntegerLiteral>(_ result: Number) throws -> Number {
    guard result >= 0 else { throw BenchmarkError("ObjectBox failed; its own words are above") }
    return result
  }
}

/// A record of ObjectBox as a value, which is what its generated code makes of one.
struct ObjectBoxRow {
  var id: UUID
  var name: String
  var amount: Double
  var frequency: Frequency
  var nextBillingDate: Date
  var category: Category
  var createdAt: Date
  var notes: String

  init(_ view: objectbox_view) throws {
    guard let frequency = Frequency(rawValue: String(cString: view.frequency)),
      let category = Category(rawValue: String(cString: view.category))
    else { throw BenchmarkError("ObjectBox gave a value that no enumeration has") }
    var bytes = objectbox_uuid()
    guard objectbox_read_id(view.id, &bytes) == 0 else { throw BenchmarkError("ObjectBox gave an id that is none") }
    id = UUID(uuid: bytes.bytes)
    name = String(cString: view.name)
    amount = view.amount
    self.frequency = frequency
    nextBillingDate = Date(timeIntervalSinceReferenceDate: Double(view.next_billing_date) / 1_000)
    self.category = category
    createdAt = Date(timeIntervalSinceReferenceDate: Double(view.created_at) / 1_000)
    notes = String(cString: view.notes)
  }
}

extension SubscriptionRow {
  fileprivate var objectBoxNumbers: objectbox_numbers {
    objectbox_numbers(
      id: id.objectBoxID, amount: amount, next_billing_date: nextBillingDate.objectBoxDate,
      created_at: createdAt.objectBoxDate)
  }
}

extension UUID {
  var objectBoxID: objectbox_uuid { objectbox_uuid(bytes: uuid) }
}

extension Date {
  /// In milliseconds.
  fileprivate var objectBoxDate: Int64 { Int64((timeIntervalSinceReferenceDate * 1_000).rounded()) }
}
