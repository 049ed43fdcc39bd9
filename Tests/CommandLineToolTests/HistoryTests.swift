import Foundation
import RecordStore
import StoreInspection
import Testing

struct HistoryTests {
  private let tandem = Tandem()

  @Test func `history lists transactions with what they changed`() throws {
    try Shop.with { shop throws in
      let outcome = try tandem.run("history", shop.path)
      #expect(outcome.status == 0, "\(outcome.trouble)")
      #expect(outcome.lines.count == 2)
      #expect(outcome.lines[0].hasPrefix("1  2"))
      #expect(outcome.lines[0].contains(" by ada  Item: 4 inserted; List: 2 inserted; Tag: 1 inserted"))
      #expect(outcome.lines[1].hasSuffix("Item: 1 updated, 1 deleted"), "\(outcome.lines[1])")
    }
  }

  @Test func `history begins after a number, ends at a limit, and shows records on request`() throws {
    try Shop.with { shop throws in
      #expect(try tandem.run("history", shop.path, "--after", "1").lines.count == 1)
      #expect(try tandem.run("history", shop.path, "--limit", "1").lines[0].hasPrefix("1  "))
      #expect(try tandem.run("history", shop.path, "--after", "2").output.isEmpty)
      let lines = try tandem.run("history", shop.path, "--after", "1", "--changes").lines
      #expect(
        lines.dropFirst().map { $0.trimmingCharacters(in: .whitespaces) }.sorted() == [
          "deleted Item \(Shop.gone)", "updated Item \(Shop.milk): price",
        ])
    }
  }

  /// It asked for what follows transaction 0, which no store has any more that was synchronised for some months.
  @Test func `history without a number begins with what was not trimmed`() throws {
    try Shop.with { shop throws in
      try RecordStore.open(StoreConfiguration(url: shop.url)).trimHistory(through: 1)
      let outcome = try tandem.run("history", shop.path)
      #expect(outcome.status == 0 && outcome.lines.count == 1 && outcome.lines[0].hasPrefix("2  "), "\(outcome)")
      let asked = try tandem.run("history", shop.path, "--after", "0")
      #expect(asked.status == 2 && asked.trouble.contains("trimmed up to 1"), "\(asked)")
    }
  }

  @Test func `history in JSON names fields and kinds`() throws {
    try Shop.with { shop throws in
      let outcome = try tandem.run("history", shop.path, "--after", "1", "--json")
      let json = try JSON(parsing: outcome.output)
      #expect(json["number"] == .number("2"))
      #expect(json["merge"] == .bool(false))
      guard case .array(let changes)? = json["changes"] else {
        Issue.record("no changes in \(outcome.output)")
        return
      }
      let update = try #require(changes.first { $0["kind"] == .string("update") })
      #expect(update["fields"] == .array([.string("price")]))
    }
  }

  @Test func `follow shows commits of other processes as they come, and Ctrl-C ends it well`() throws {
    try Shop.with { shop throws in
      let following = try tandem.start("history", shop.path, "--follow", "--after", "1")
      #expect(following.line()?.hasPrefix("2  ") == true)
      let store = try shop.open()
      let list = try store.read { try #require($0.catalogue.entity(named: "List")) }
      for number in 3...5 {
        let field = FieldWrite(try #require(list.field(named: "name")).ordinal, .string("List \(number)"))
        _ = try store.commit(
          SaveRequest(changes: [.insert(entity: list.number, id: RecordIDGenerator.shared.next(), fields: [field])]))
        #expect(following.line()?.hasPrefix("\(number)  ") == true)
      }
      #expect(following.end(by: SIGINT) == 0)
    }
  }

  /// It once stayed with the deleted file for ever, in silence.
  @Test func `follow ends with a sentence when the store is deleted`() throws {
    try Shop.with { shop throws in
      let place = shop.folder.path + "/gone.store"
      let copied = try tandem.shell("cp -r \"\(shop.path)\" \"\(place)\"")
      #expect(copied.status == 0)
      let outcome = try tandem.shell(
        "{ read -r line && rm -r \"\(place)\"; } < <(\"$TANDEM\" history \"\(place)\" --follow --after 1); wait $!")
      #expect(outcome.status == 2, "\(outcome)")
      #expect(outcome.trouble.contains("is not there any more"), "\(outcome.trouble)")
    }
  }
}
