import Foundation
import RecordStore
import RecordSync
import Tandem
import TandemSync
import Testing

/// The code in the comments of the conflict log.
struct ConflictExampleTests {
  @Test func `a lost value is found, told of and restored`() async throws {
    try await withFolder { root in
      let phone = try makeContainer(for: [Expense.self], at: root.appending(path: "phone/books/Books.store"))
      let laptop = try makeContainer(for: [Expense.self], at: root.appending(path: "laptop/books/Books.store"))
      let folder = root.appending(path: "exchange")
      let engines = try [phone, laptop, phone].map { try SyncEngine(container: $0, folder: folder) }
      let onPhone = ModelContext(phone)
      onPhone.insert(Expense(shop: "Bakery", amount: 4))
      try onPhone.save()
      for engine in engines { _ = try await engine.sync() }
      for (container, shop) in [(phone, "Old town"), (laptop, "Station")] {
        let context = ModelContext(container)
        try #require(context.fetch(FetchDescriptor<Expense>()).first).shop = shop
        try context.save()
      }
      for engine in engines { _ = try await engine.sync() }
      let log = ConflictLog(store: phone.store)

      let conflicts: [Conflict] = try log.entries()
      for conflict in conflicts where conflict.kind == .editLost {
        for field: Conflict.Field in conflict.fields { print(field.lost, "gave way to", field.winning) }
      }
      #expect(conflicts.map(\.kind) == [.editLost] && conflicts[0].fields.count == 1)

      func name(of side: ConflictDetails.Side) -> String { side.isOwn ? "this device" : side.deviceName ?? "another" }
      let losses: [ConflictDetails] = try log.details(matching: .init(entityName: "Expense"))
      for loss in losses {
        print("\(loss.fieldNames) by \(name(of: loss.loser)), \(name(of: loss.winner)) won at \(loss.winner.date)")
      }
      #expect(losses.map(\.fieldNames) == [["shop"]])
      #expect(Set([losses[0].loser, losses[0].winner].map(\.isOwn)) == [true, false])

      for conflict in try log.entries() { try log.restore(conflict.id, author: "editor") }
      #expect(try log.entries() == [])
    }
  }
}
