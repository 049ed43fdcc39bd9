import Foundation
import RecordStore
import StoreInspection
import Testing

@testable import SQLiteBridge

/// CSV and JSON Lines.
struct TextImportTests {
  private func write(_ text: String, _ fixture: SQLiteFixture, named name: String) throws -> URL {
    let url = fixture.folder.appendingPathComponent(name)
    try Data(text.utf8).write(to: url)
    return url
  }

  private func rows(_ text: String) throws -> [[String?]] {
    var reader = CSVReader(Data(text.utf8))
    var rows: [[String?]] = []
    while let row = try reader.next() { rows.append(row.fields) }
    return rows
  }

  @Test func `CSV is read as RFC 4180 says`() throws {
    #expect(try rows("a,b\r\n1,\"x, \"\"y\"\"\r\nz\"\r\n") == [["a", "b"], ["1", "x, \"y\"\r\nz"]])
    #expect(try rows("\u{FEFF}a,b\n\n,\"\"") == [["a", "b"], [nil, ""]])
    #expect(try rows("a\rb") == [["a"], ["b"]] && rows("").isEmpty && rows("a,b,") == [["a", "b", nil]])
    #expect(try rows("é, x ") == [["é", " x "]])
  }

  @Test(arguments: [
    ("a,b\n1", "line 2 has 1 fields and the first one 2"), ("a\n\"x", "the quote that opens at line 2 is never closed"),
    ("a\nx\"y", "line 2 has a quote inside a field without quotes"), ("a\n\"x\"y", "line 2 goes on behind a closing"),
    ("a\n\"1\n2\"\n\"x", "the quote that opens at line 4"),
  ])
  func `what is no CSV is told by its line`(text: String, message: String) throws {
    let error = #expect(throws: BridgeError.self) { try rows(text) }
    #expect(error?.message.hasPrefix(message) == true, "\(error?.message ?? "")")
  }

  @Test func `what the writer writes, the reader reads`() throws {
    let fields: [String?] = [nil, "", " x", "a,b", "\"", "line\r\nend", "plain", "é😀"]
    #expect(try rows(CSVWriter().row(fields) + "\n" + CSVWriter().row(fields)) == [fields, fields])
  }

  @Test func `a new store has the narrowest types that hold all values`() throws {
    try SQLiteFixture.with { fixture throws in
      let url = try write(
        """
        name,count,price,zip,day,open,mixed,key,empty
        Ada,1,1.5,01234,2026-01-02,true,1,00010203-0405-0607-0809-0A0B0C0D0E0F,
        "",-2,3,04711,2026-01-02T10:00:00+01:00,false,x,00010203-0405-0607-0809-0a0b0c0d0e0e,
        """, fixture, named: "Shop.csv")
      #expect(try TextImport(csv: url).create(fixture.configuration("new")).inserted == 2)
      #expect(
        try fixture.records("Shop") == [
          #"{"name":"","count":-2,"price":3.0,"zip":"04711","day":"2026-01-02T09:00:00Z","open":false,"mixed":"x","#
            + #""key":"00010203-0405-0607-0809-0a0b0c0d0e0e","empty":null}"#,
          #"{"name":"Ada","count":1,"price":1.5,"zip":"01234","day":"2026-01-02T00:00:00Z","open":true,"mixed":"1","#
            + #""key":"00010203-0405-0607-0809-0a0b0c0d0e0f","empty":null}"#,
        ])
      let lines = try write(
        #"{"a":1,"b":{"c":[1]},"d":"x"}"# + "\n\n" + #"{"@entity":"Other","a":true}"# + "\n" + #"{"a":2.5,"d":3}"#,
        fixture,
        named: "Lines.jsonl")
      #expect(try TextImport(jsonLines: lines).create(fixture.configuration("lines")).inserted == 3)
      #expect(
        try fixture.records("Lines", in: "lines") == [
          #"{"a":1.0,"b":{"c":[1]},"d":"x"}"#, #"{"a":2.5,"b":null,"d":"3"}"#,
        ])
      #expect(try fixture.records("Other", in: "lines") == [#"{"a":true}"#])
    }
  }

  @Test func `a store gives the types, columns find properties by name, and others are listed`() throws {
    try SQLiteFixture.with { fixture throws in
      let schema = StoreSchema(entities: [
        EntityDefinition(
          name: "Receipt",
          attributes: [
            AttributeDefinition(name: "shopName", type: .string), AttributeDefinition(name: "amount", type: .decimal),
            AttributeDefinition(name: "number", type: .int),
          ], uniquenessConstraints: [["number"]])
      ])
      let store = try RecordStore.open(fixture.configuration("new"), schema: schema)
      let url = try write(
        "Number,shop_name,amount,colour\n1,Bakery,4.50,red\n2,,0.1,\n", fixture, named: "receipt.csv")
      let report = try TextImport(csv: url).enter(into: store)
      #expect(report.inserted == 2)
      #expect(report.notes == ["colour: the store's entity 'Receipt' has no property for it, left out"])
      #expect(
        try fixture.records("Receipt") == [
          #"{"shopName":"","amount":"0.1","number":2}"#, #"{"shopName":"Bakery","amount":"4.5","number":1}"#,
        ])
      let more = try write("number,amount\n1,5\n2,0.1\n", fixture, named: "Receipt.csv")
      let second = try TextImport(csv: more).enter(into: store)
      #expect(second.inserted == 0 && second.updated == 1 && second.unchanged == 1)
      for (text, message) in [
        ("number,shopName,amount\n3,x,1\n4,y,much\n", "line 3 has a value for 'amount' that is no decimal"),
        ("number,amount\n3,1\n", "line 2 has no value for 'shopName' of 'Receipt'"),
        ("number,number\n3,1\n", "line 1 has an empty name or one twice"),
        ("@id,number\nx,1\n", "line 2 has an '@id' that is not 32 hexadecimal digits"),
      ] {
        let bad = try write(text, fixture, named: "Receipt.csv")
        let error = #expect(throws: (any Error).self) { try TextImport(csv: bad).enter(into: store) }
        #expect("\(error.map { "\($0)" } ?? "")".hasPrefix(message), "\(text)")
      }
      #expect(try fixture.records("Receipt").count == 2)
    }
  }
}
