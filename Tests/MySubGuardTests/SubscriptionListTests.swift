import Foundation
import Testing

@testable import MySubGuard

@Suite struct SubscriptionListTests {
  private let header = "id,name,amount,frequency,next_billing_date,category\n"
  private let id = "6F9619FF-8B86-4D01-B42D-00CF4FC964FF"
  private let now = Date(timeIntervalSince1970: 1_770_000_000)

  private func list(_ text: String) throws -> SubscriptionList { try SubscriptionList(csv: text, importedAt: now) }

  @Test func `a list with semicolons, decimal commas and other column orders reads the same`() throws {
    let plain = try list(header + "\(id),Café,12.90,mensuel,2026-01-31,Pro\n")
    let other = try list(
      "category;Name;id;billing_day;next_billing_date;frequency;amount;created_at\r\n"
        + "pro;\"Café\";\(id.lowercased());31;2026-01-31;Monthly;12,9;\(SubscriptionList.text(of: now))\r\n")
    #expect(plain == other)
    #expect(plain.subscriptions.first?.createdAt == now)
  }

  @Test(arguments: [
    ("x,-1,mensuel,2026-01-31,Pro", 40, "amount"), ("x,1,mensuelle,2026-01-31,Pro", 42, "frequency"),
    ("x,1,mensuel,2026-02-30,Pro", 50, "next_billing_date"), ("x,1,mensuel,2026-01-31,Perso", 61, "category"),
    (",1,mensuel,2026-01-31,Pro", 38, "name"), ("x,1,mensuel,2026-01-31", 50, "category"),
    ("x,1,mensuel,2026-01-31,Pro,Pro", 65, "fields"),
  ])
  func `a bad field is named with its line and column`(row: String, column: Int, word: String) {
    let good = "00000000-0000-4000-8000-000000000001,ok,1,annuel,2026-01-01,Pro\n"
    let error = #expect(throws: SubscriptionError.self) { try list(header + good + "\n\(id),\(row)\n") }
    #expect(error?.position == TextPosition(line: 4, column: column))
    #expect(error?.message.contains(word) == true)
    #expect(error?.message.hasPrefix("line 4, column \(column): ") == true)
  }

  @Test(arguments: [
    "", "id,name\n", "id,id,name,amount,frequency,next_billing_date,category\n",
    "id,name,amount,price,frequency,next_billing_date,category\n",
  ])
  func `a header that is empty, short, doubled or unknown is refused in line 1`(text: String) {
    let error = #expect(throws: SubscriptionError.self) { try list(text) }
    #expect(error?.position?.line == 1)
  }

  @Test func `an id that stands twice is refused with both lines`() {
    let row = "\(id),a,1,annuel,2026-01-01,Pro\n"
    let error = #expect(throws: SubscriptionError.self) { try list(header + row + row) }
    #expect(error?.message.contains("line 3") == true)
    #expect(error?.message.contains("line 2 already") == true)
  }

  @Test func `bytes that are not UTF-8 are named with their place`() {
    var bytes = Data("a;é\nbc".utf8)
    bytes.append(0xFF)
    let error = #expect(throws: SubscriptionError.self) { try SubscriptionList.text(of: bytes) }
    #expect(error?.position == TextPosition(line: 2, column: 3))
  }

  @Test func `what is written as JSON reads back equal, amounts to the cent`() throws {
    for file in ["phone.csv", "laptop.csv"] {
      let read = try SubscriptionList(contentsOf: Fixtures.devices.appending(path: file), importedAt: now)
      let json = try SubscriptionList.json(read.subscriptions)
      #expect(try SubscriptionList(json: json, importedAt: .distantPast) == read)
    }
  }

  @Test func `JSON numbers are exact decimals`() throws {
    let json = """
      [{"name":"x","amount":0.29,"frequency":"annuel","next_billing_date":"2026-01-01","category":"Pro"},
       {"name":"y","amount":"4,99","frequency":"annuel","next_billing_date":"2026-01-01","category":"Pro"}]
      """
    let read = try SubscriptionList(json: Data(json.utf8), importedAt: now)
    #expect(read.subscriptions.map(\.amount) == [Decimal(string: "0.29"), Decimal(string: "4.99")])
  }

  @Test(arguments: [
    (#"[{"name":"x"}]"#, "item 1"), (#"[{"name":"x","amount":true}]"#, "amount"), ("[", "JSON"), ("{}", "JSON"),
    (
      #"[{"name":"x","amount":1,"frequency":"nie","next_billing_date":"2026-01-01","category":"Pro"}]"#,
      "item 1: the frequency"
    ),
  ])
  func `JSON that does not parse names the item or the member`(json: String, words: String) {
    let error = #expect(throws: SubscriptionError.self) {
      try SubscriptionList(json: Data(json.utf8), importedAt: now)
    }
    #expect(error?.code == .malformedList)
    #expect(error?.message.contains(words) == true, "\(error?.message ?? "")")
  }

  @Test func `a missing file and an unknown kind of file say what to do`() {
    let refusal = #expect(throws: SubscriptionError.self) {
      try SubscriptionList(contentsOf: URL(filePath: "/nowhere/list.csv"), importedAt: now)
    }
    #expect(refusal?.code == .unreadableFile)
    let error = #expect(throws: SubscriptionError.self) {
      try SubscriptionList(contentsOf: URL(filePath: "/nowhere/list.txt"), importedAt: now)
    }
    #expect(error?.code == .unreadableFile)
  }

  @Test func `the two device lists hold forty subscriptions and overlap`() throws {
    let phone = try SubscriptionList(contentsOf: Fixtures.devices.appending(path: "phone.csv"), importedAt: now)
    let laptop = try SubscriptionList(contentsOf: Fixtures.devices.appending(path: "laptop.csv"), importedAt: now)
    let (phoneIDs, laptopIDs) = (Set(phone.subscriptions.map(\.id)), Set(laptop.subscriptions.map(\.id)))
    #expect(phoneIDs.union(laptopIDs).count >= 40)
    #expect(phoneIDs.intersection(laptopIDs).count >= 10)
  }
}
