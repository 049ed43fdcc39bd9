import Foundation
import SwiftData
import Testing

// Persistent history as WWDC24 shows it: tokens that outlive a launch, authors, tombstones.

@Model
final class Reservation {
  #Unique<Reservation>([\.hotel, \.checkIn])

  @Attribute(.preserveValueOnDeletion) var hotel: String
  @Attribute(.preserveValueOnDeletion) var checkIn: Date
  var guests: Int
  var isRead = true

  init(hotel: String, checkIn: Date, guests: Int = 1) {
    self.hotel = hotel
    self.checkIn = checkIn
    self.guests = guests
  }
}

enum TransactionAuthor {
  static let widget = "widget"
  static let app = "app"
}

/// What an app keeps in its settings between launches.
@MainActor
final class UnreadTracker {
  private(set) var storedToken: Data?
  private(set) var unread: Set<PersistentIdentifier> = []
  private(set) var cancelled: [String] = []

  func update(from context: ModelContext) throws {
    let transactions = try findTransactions(
      after: try storedToken.map { try JSONDecoder().decode(DefaultHistoryToken.self, from: $0) },
      author: TransactionAuthor.widget, in: context)
    for change in transactions.flatMap(\.changes) {
      switch change {
      case .insert(let insert as DefaultHistoryInsert<Reservation>):
        unread.insert(insert.changedPersistentIdentifier)
      case .update(let update as DefaultHistoryUpdate<Reservation>):
        if update.updatedAttributes.contains(\.guests) { unread.insert(update.changedPersistentIdentifier) }
      case .delete(let delete as DefaultHistoryDelete<Reservation>):
        unread.remove(delete.changedPersistentIdentifier)
        if let hotel = delete.tombstone[\.hotel] as? String { cancelled.append(hotel) }
      default:
        break
      }
    }
    if let newest = transactions.last?.token {
      storedToken = try JSONEncoder().encode(newest)
    }
  }

  private func findTransactions(
    after token: DefaultHistoryToken?, author: String, in context: ModelContext
  ) throws -> [DefaultHistoryTransaction] {
    var historyDescriptor = HistoryDescriptor<DefaultHistoryTransaction>()
    if let token {
      historyDescriptor.predicate = #Predicate { transaction in
        (transaction.token > token) && (transaction.author == author)
      }
    } else {
      historyDescriptor.predicate = #Predicate { $0.author == author }
    }
    return try context.fetchHistory(historyDescriptor)
  }
}

@MainActor
struct HistoryTutorialTests {
  private let container: ModelContainer
  private let app: ModelContext
  private let widget: ModelContext

  init() throws {
    container = try ModelContainer(
      for: Reservation.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
    app = container.mainContext
    app.author = TransactionAuthor.app
    widget = ModelContext(container)
    widget.author = TransactionAuthor.widget
  }

  private func reservation(_ hotel: String, in context: ModelContext) throws -> Reservation {
    try #require(
      try context.fetch(FetchDescriptor<Reservation>(predicate: #Predicate { $0.hotel == hotel })).first)
  }

  @Test func `only what the widget did is unread`() throws {
    let tracker = UnreadTracker()
    for (number, hotel) in ["Alma", "Bristol"].enumerated() {
      app.insert(Reservation(hotel: hotel, checkIn: Date(timeIntervalSince1970: Double(number))))
    }
    try app.save()
    try tracker.update(from: app)
    #expect(tracker.unread.isEmpty && tracker.storedToken == nil)

    let third = Reservation(hotel: "Corso", checkIn: .now)
    widget.insert(third)
    try widget.save()
    try tracker.update(from: app)
    #expect(tracker.unread == [third.persistentModelID])
    #expect(tracker.storedToken != nil)

    try reservation("Alma", in: widget).isRead = false
    try widget.save()
    try reservation("Bristol", in: widget).guests = 4
    try widget.save()
    try tracker.update(from: app)
    #expect(try tracker.unread == [third.persistentModelID, reservation("Bristol", in: app).persistentModelID])
  }

  @Test func `a tombstone keeps the values that are marked`() throws {
    let tracker = UnreadTracker()
    let checkIn = Date(timeIntervalSince1970: 77)
    widget.insert(Reservation(hotel: "Alma", checkIn: checkIn, guests: 3))
    try widget.save()
    try tracker.update(from: app)
    #expect(tracker.unread.count == 1)
    let saved = try #require(tracker.storedToken)
    widget.delete(try reservation("Alma", in: widget))
    try widget.save()
    try tracker.update(from: app)
    #expect(tracker.unread.isEmpty && tracker.cancelled == ["Alma"])
    #expect(tracker.storedToken != saved)

    let last = try #require(try app.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>()).last)
    guard case .delete(let delete as DefaultHistoryDelete<Reservation>) = try #require(last.changes.first) else {
      Issue.record("the last change is the delete")
      return
    }
    #expect(delete.tombstone[\.hotel] as? String == "Alma" && delete.tombstone[\.checkIn] as? Date == checkIn)
    #expect(delete.tombstone[\.guests] as? Int == nil)
    #expect(last.author == "widget" && last.changes.count == 1)
  }

  @Test func `updates name the attributes they changed`() throws {
    widget.insert(Reservation(hotel: "Alma", checkIn: .now))
    try widget.save()
    let object = try reservation("Alma", in: widget)
    object.guests = 2
    object.isRead = false
    try widget.save()
    let transactions = try app.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>())
    #expect(transactions.count == 2)
    guard case .update(let update as DefaultHistoryUpdate<Reservation>)? = transactions.last?.changes.first else {
      Issue.record("the last change is the update")
      return
    }
    #expect(Set(update.updatedAttributes) == [\.guests, \.isRead])
    #expect(update.changedPersistentIdentifier == object.persistentModelID)
    #expect(update.transactionIdentifier == transactions.last?.transactionIdentifier)
  }

  @Test func `processed history is deleted`() throws {
    for number in 0..<3 {
      widget.insert(Reservation(hotel: "H\(number)", checkIn: .now))
      try widget.save()
    }
    let all = try app.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>())
    #expect(all.map(\.author) == ["widget", "widget", "widget"])
    #expect(all.map(\.timestamp) == all.map(\.timestamp).sorted())
    let token = all[1].token
    let processed = HistoryDescriptor<DefaultHistoryTransaction>(predicate: #Predicate { $0.token < token })
    try app.deleteHistory(processed)
    #expect(try app.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>()).map(\.token) == all[1...].map(\.token))
    try app.deleteHistory(HistoryDescriptor<DefaultHistoryTransaction>())
    #expect(try app.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>()).isEmpty)
    #expect(try app.fetchCount(FetchDescriptor<Reservation>()) == 3)
  }
}
