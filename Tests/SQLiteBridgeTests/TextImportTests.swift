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

  /// A `Codable` value that is a text was written without quotes, and a list of texts as one text: neither was taken
  /// back, or it came back as another value.
  @Test(arguments: ["", "\u{FEFF}"]) func `JSON Lines may begin with a byte order mark`(mark: String) throws {
    try SQLiteFixture.with { fixture throws in
      let url = try write(mark + "{\"a\":1}\r\n\r\n{\"a\":2}\r\n", fixture, named: "Shop.jsonl")
      #expect(try TextImport(jsonLines: url).create(fixture.configuration("new")).inserted == 2)
      #expect(try fixture.records("Shop") == [#"{"a":1}"#, #"{"a":2}"#])
    }
  }

  /// A store keeps names with these marks for itself; it refused them, or showed nobody the property.
  @Test func `a new store has a property for each name, whatever mark it begins with`() throws {
    try SQLiteFixture.with { fixture throws in
      let url = try write("~a,.x,.class\n1,2,Dog\n3,4,\n", fixture, named: "~Pets.csv")
      #expect(try TextImport(csv: url).create(fixture.configuration("new")).notes == [])
      #expect(
        try fixture.records("_~Pets") == [
          #"{"_~a":1,"_.x":2,".class":"Dog"}"#, #"{"_~a":3,"_.x":4,".class":null}"#,
        ])
      let store = try RecordStore.open(fixture.configuration("new"))
      let field = try store.read { $0.catalogue.entity(named: "_~Pets")?.field(named: ".class") }
      #expect(field?.isSparse == true)
    }
  }

  @Test func `a column of entities gives each line its own, and comes back as it was listed`() throws {
    try SQLiteFixture.with { fixture throws in
      let url = try write("@entity,n\nCat,1\n,2\nDog,3\n", fixture, named: "Pet.csv")
      #expect(try TextImport(csv: url).create(fixture.configuration("new")).inserted == 3)
      #expect(
        try ["Cat", "Pet", "Dog"].map { try fixture.records($0) } == [[#"{"n":1}"#], [#"{"n":2}"#], [#"{"n":3}"#]])
      let lines = try write(#"{"@entity":5,"n":1}"#, fixture, named: "Pet.jsonl")
      let error = #expect(throws: BridgeError.self) { try TextImport(jsonLines: lines) }
      #expect(error?.message == "line 1 has an '@entity' that is no text: correct the line")
    }
  }

  @Test func `Codable values come back from CSV as they were`() throws {
    try SQLiteFixture.with { fixture throws in
      let schema = StoreSchema(entities: [
        EntityDefinition(
          name: "Thing", attributes: [AttributeDefinition(name: "value", type: .composite, isOptional: true)])
      ])
      let values = [
        #""weekly""#, #""5""#, #""true""#, #""null""#, "\"\"", #"["a","b"]"#, "[]", "5", "true",
        #"{"a":[1,null]}"#,
      ]
      let store = try RecordStore.open(fixture.configuration("old"), schema: schema)
      let changes = values.map { value in
        RecordChange.insert(
          entity: 0, id: RecordIDGenerator.shared.next(), fields: [FieldWrite(0, .composite(Data(value.utf8)))])
      }
      _ = try store.commit(SaveRequest(changes: changes))
      let folder = fixture.folder.appendingPathComponent("tables")
      #expect(try TextExport.writeCSV(store, toFolder: folder).parts.map(\.rowCount) == [values.count])
      let copy = try RecordStore.open(fixture.configuration("copy"), schema: schema)
      let file = try TextImport(csv: folder.appendingPathComponent("Thing.csv"))
      #expect(try file.enter(into: copy).inserted == values.count)
      #expect(try fixture.records("Thing", in: "copy") == fixture.records("Thing", in: "old"))
      #expect(try file.enter(into: copy).unchanged == values.count)
    }
  }

  /// Numbers of more than fifteen digits became doubles, and lost what a double cannot hold. A column got its type
  /// value by value: one fraction made doubles of whole numbers, too.
  @Test(arguments: ["csv", "jsonl"]) func `a new store keeps all digits of a number`(form: String) throws {
    let columns = [
      ("large", "double", ["9223372036854775808", "0.5"]), ("account", "decimal", ["12345678901234567890", "1"]),
      ("precise", "decimal", ["3.14159265358979323846", "2.5"]), ("mixed", "decimal", ["9007199254740993", "0.5"]),
      ("whole", "int", ["9007199254740993", "-9223372036854775808"]), ("held", "double", ["9007199254740992", "1.5"]),
      ("printed", "double", ["0.10000000000000001", "1"]),
      ("small", "double", ["0.000001", "4.9406564584124654e-324"]),
      ("long", "string", ["1234567890123456789012345678901234567890123456789", "1"]),
      ("wide", "string", ["3.14159265358979323846", "1e300"]), ("endless", "string", ["1e400", "1"]),
      ("gone", "string", ["1e-400", "1"]),
    ]
    try SQLiteFixture.with { fixture throws in
      var lines = (0...1).map { row in
        "{" + columns.map { "\"\($0.0)\":\($0.2[row])" }.joined(separator: ",") + "}"
      }
      if form == "csv" {
        lines =
          [columns.map(\.0).joined(separator: ",")]
          + (0...1).map { row in columns.map { $0.2[row] }.joined(separator: ",") }
      }
      let url = try write(lines.joined(separator: "\n"), fixture, named: "Numbers.\(form)")
      let maker = form == "csv" ? try TextImport(csv: url) : try TextImport(jsonLines: url)
      #expect(try maker.create(fixture.configuration("new")).inserted == 2)
      let store = try RecordStore.open(fixture.configuration("new"))
      let entity = try #require(store.read { $0.catalogue }.entities.first { $0.name == "Numbers" })
      for (name, type, texts) in columns {
        let field = try #require(entity.fields.first { $0.name == name })
        #expect("\(field.type)" == type, "\(name)")
        let values = try store.read { try $0.fetch(RecordQuery(entity: entity.number)).map { $0.value(of: field) } }
        let expected = texts.compactMap {
          FieldValue(json: type == "string" ? .string($0) : .number($0), type: field.type)
        }
        #expect(Set(values) == Set(expected) && expected.count == 2, "\(name): \(values)")
      }
    }
  }

  @Test func `a number beyond all doubles is refused where there are doubles, and nothing is infinite`() throws {
    try SQLiteFixture.with { fixture throws in
      let first = try write("n\n1.5\n", fixture, named: "Number.csv")
      #expect(try TextImport(csv: first).create(fixture.configuration("new")).inserted == 1)
      for (name, text) in [("Number.csv", "n\n1e400\n"), ("Number.jsonl", "{\"n\":-1e400}\n")] {
        let url = try write(text, fixture, named: name)
        let file = name == "Number.csv" ? try TextImport(csv: url) : try TextImport(jsonLines: url)
        let store = try RecordStore.open(fixture.configuration("new"))
        let error = #expect(throws: BridgeError.self) { try file.enter(into: store) }
        #expect(error?.message.contains("no double") == true, "\(error?.message ?? "")")
      }
      #expect(try fixture.records("Number") == [#"{"n":1.5}"#])
    }
  }

  private func accounts(_ fixture: SQLiteFixture) throws -> RecordStore {
    let schema = StoreSchema(entities: [
      EntityDefinition(
        name: "Account",
        attributes: [
          AttributeDefinition(name: "username", type: .string, isOptional: true),
          AttributeDefinition(name: "n", type: .int, isOptional: true),
        ])
    ])
    return try RecordStore.open(fixture.configuration("new"), schema: schema)
  }

  /// The first that fitted was taken, and the other said to have no property.
  @Test(arguments: [
    ("Account.csv", "user_name,username,n\nwrong,right,2\n"),
    ("Account.jsonl", #"{"USERNAME":"wrong","username":"right","n":2}"#),
  ])
  func `a name that is equal goes before one that is like it`(name: String, text: String) throws {
    try SQLiteFixture.with { fixture throws in
      let store = try accounts(fixture)
      let url = try write(text, fixture, named: name)
      let file = name == "Account.csv" ? try TextImport(csv: url) : try TextImport(jsonLines: url)
      let report = try file.enter(into: store)
      let other = name == "Account.csv" ? "user_name" : "USERNAME"
      #expect(report.notes == ["\(other): the store's entity 'Account' has no property for it, left out"])
      #expect(try fixture.records("Account") == [#"{"username":"right","n":2}"#])
    }
  }

  @Test func `of two names that are like one property the first is taken, and the other named with that`() throws {
    try SQLiteFixture.with { fixture throws in
      let store = try accounts(fixture)
      let url = try write("user_name,UserName\nfirst,second\n", fixture, named: "Account.csv")
      let report = try TextImport(csv: url).enter(into: store)
      #expect(report.notes == ["UserName: another name stands for 'username', left out"])
      #expect(try fixture.records("Account") == [#"{"username":"first","n":null}"#])
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
