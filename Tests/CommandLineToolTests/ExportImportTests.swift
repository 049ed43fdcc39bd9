import Foundation
import RecordStore
import StoreInspection
import Testing

@testable import SQLiteBridge

/// `tandem export` and `tandem import`.
struct ExportImportTests {
  private let tandem = Tandem()

  private func database(_ museum: Museum, _ name: String = "full.sqlite") throws -> SQLiteConnection {
    try SQLiteCopy(museum.folder.appendingPathComponent(name)).open()
  }

  private func export(_ museum: Museum, _ arguments: String...) throws {
    let outcome = try tandem.run(arguments: ["export", museum.path("full")] + arguments)
    #expect(outcome.status == 0, "\(outcome.trouble)")
  }

  private func file(_ museum: Museum, _ name: String) -> String { museum.folder.appendingPathComponent(name).path }

  @Test func `a store of all types comes back from a SQLite file as it was`() throws {
    try Museum.with { museum throws in
      try export(museum, file(museum, "full.sqlite"))
      let outcome = try tandem.run("import", file(museum, "copy.store"), file(museum, "full.sqlite"))
      #expect(outcome.output == "\(Museum.recordCount) inserted, 0 updated, 0 unchanged\n", "\(outcome.trouble)")
      #expect(try museum.contents(of: "copy") == museum.contents(of: "full"))
      #expect(try tandem.run("check", file(museum, "copy.store")).status == 0)
    }
  }

  /// The time that a schema takes grows with the square of the columns, and 10,000 were taken.
  @Test func `a text with thousands of columns is refused`() throws {
    try Museum.with { museum throws in
      let names = (0..<2_001).map { "c\($0)" }
      let row = names.indices.map(String.init).joined(separator: ",")
      let members = names.map { "\"\($0)\":1" }.joined(separator: ",")
      for (name, text, sentence) in [
        ("wide.csv", "\(names.joined(separator: ","))\n\(row)\n", "line 1 has more than 2000 fields: leave out some"),
        ("wide.jsonl", "{\(members)}\n", "wide has more than 2000 properties: leave out some"),
      ] {
        try Data(text.utf8).write(to: URL(fileURLWithPath: file(museum, name)))
        let outcome = try tandem.run("import", file(museum, "new.store"), file(museum, name))
        #expect(outcome.status == 2 && outcome.trouble.contains(sentence), "\(outcome.trouble.prefix(200))")
      }
    }
  }

  @Test func `it comes into a store with the same entities too, and once`() throws {
    try Museum.with { museum throws in
      try export(museum, file(museum, "full.sqlite"))
      let arguments = ["import", museum.path("empty"), file(museum, "full.sqlite")]
      let dry = try tandem.run(arguments: arguments + ["--dry-run"])
      #expect(dry.output == "\(Museum.recordCount) inserted, 0 updated, 0 unchanged, nothing was saved\n")
      #expect(try museum.contents(of: "empty").isEmpty)
      #expect(try tandem.run(arguments: arguments).status == 0)
      #expect(try museum.contents(of: "empty") == museum.contents(of: "full"))
      #expect(try tandem.run(arguments: arguments).output == "0 inserted, 0 updated, \(Museum.recordCount) unchanged\n")
    }
  }

  @Test func `a SQLite file has typed columns, keys and tables for links, and SQLite finds no fault`() throws {
    try Museum.with { museum throws in
      try export(museum, file(museum, "full.sqlite"))
      let database = try database(museum)
      #expect(try database.rows("PRAGMA integrity_check") == [[.text("ok")]])
      #expect(try database.rows("PRAGMA foreign_key_check").isEmpty)
      let types = try database.rows("SELECT name, type FROM pragma_table_info('Exhibit')")
        .reduce(into: [String: String]()) { $0[$1[0].text] = $1[1].text }
      #expect(types["bool"] == "BOOLEAN" && types["int"] == "INTEGER" && types["uint"] == "INTEGER")
      #expect(types["double"] == "REAL" && types["date"] == "DATETIME" && types["data"] == "BLOB")
      #expect(types["decimal"] == "TEXT" && types["composite"] == "TEXT" && types["hall"] == "TEXT")
      let keys = try database.rows("SELECT \"from\", \"table\" FROM pragma_foreign_key_list('Exhibit') ORDER BY 1")
      #expect(keys.contains([.text("hall"), .text("Hall")]) && keys.contains([.text("original"), .text("Exhibit")]))
      #expect(try database.rows("SELECT count(*) FROM Exhibit_tags") == [[.integer(5)]])
      let uniques = try database.rows("SELECT name FROM pragma_index_list('Hall') WHERE \"unique\" AND origin = 'c'")
      #expect(uniques == [[.text("Hall_name")]])
      #expect(try database.rows("SELECT count(*) FROM Exhibit WHERE double = 9e999") == [[.integer(2)]])
    }
  }

  @Test func `numbers that SQLite does not have are listed`() throws {
    try Museum.with { museum throws in
      let outcome = try tandem.run("export", museum.path("full"), file(museum, "full.sqlite"))
      #expect(outcome.trouble.contains("Exhibit.uint: 9 values that SQLite's numbers do not have, written as text"))
      #expect(outcome.trouble.contains("Exhibit.double: "))
    }
  }

  @Test func `JSON Lines are what load takes back`() throws {
    try Museum.with { museum throws in
      try export(museum, "--json-lines", file(museum, "full.jsonl"))
      let load = try tandem.run("load", museum.path("empty"), file(museum, "full.jsonl"), "--into")
      #expect(load.output == "\(Museum.recordCount) inserted, 0 updated, 0 unchanged\n", "\(load.trouble)")
      #expect(try museum.contents(of: "empty") == museum.contents(of: "full"))
    }
  }

  @Test func `CSV has a file for each entity, with a line for each record`() throws {
    try Shop.with { shop throws in
      let folder = shop.folder.appendingPathComponent("tables")
      #expect(try tandem.run("export", shop.path, "--csv", folder.path).status == 0)
      #expect(
        try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted() == [
          "Item.csv", "List.csv", "Tag.csv",
        ])
      let items = try String(contentsOf: folder.appendingPathComponent("Item.csv"), encoding: .utf8)
      #expect(items.hasPrefix("@id,title,price,amount,due,done,key,weight,picture,"), "\(items)")
      #expect(items.contains("\n\(Shop.bread),"))
      #expect(!items.contains("\(Shop.gone)"), "the deleted record")
    }
  }

  @Test func `a file that is there is replaced only when that is asked for, and a folder never`() throws {
    try Shop.with { shop throws in
      let path = shop.folder.appendingPathComponent("file").path
      try Data("mine".utf8).write(to: URL(fileURLWithPath: path))
      for form in [[path], ["--json-lines", path], ["--csv", path]] {
        let outcome = try tandem.run(arguments: ["export", shop.path] + form)
        #expect(outcome.status == 2 && outcome.trouble.contains("is there already"), "\(outcome)")
      }
      #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == Data("mine".utf8))
      #expect(try tandem.run("export", shop.path, path, "--force").status == 0)
      #expect(try SQLiteCopy.isSQLite(URL(fileURLWithPath: path)))
      let outcome = try tandem.run("export", shop.path, shop.folder.path, "--force")
      #expect(outcome.status == 2 && outcome.trouble.contains("is a folder, which is never replaced"), "\(outcome)")
      #expect(try FileManager.default.contentsOfDirectory(atPath: shop.folder.path).sorted() == ["file", "shop.store"])
    }
  }

  /// A file took its place: its reader waited for ever, and where root exported, a device was gone.
  @Test func `a pipe is not replaced, whatever is asked for`() throws {
    try Shop.with { shop throws in
      let pipe = shop.folder.appendingPathComponent("pipe").path
      #expect(mkfifo(pipe, 0o600) == 0)
      for form in [[pipe], ["--json-lines", pipe]] {
        let outcome = try tandem.run(arguments: ["export", shop.path] + form + ["--force"])
        #expect(outcome.status == 2, "\(outcome)")
        #expect(outcome.trouble.contains("is no file, and only a file is replaced"), "\(outcome)")
      }
      let type = try FileManager.default.attributesOfItem(atPath: pipe)[.type] as? FileAttributeType
      #expect(type != .typeRegular)
      #expect(try FileManager.default.contentsOfDirectory(atPath: shop.folder.path).sorted() == ["pipe", "shop.store"])
    }
  }

  private func end(_ running: RunningTandem, by signal: Int32, once isBegun: () throws -> Bool) throws {
    let deadline = ContinuousClock.now + .seconds(60)
    while try !isBegun(), ContinuousClock.now < deadline { sched_yield() }
    #expect(running.end(by: signal) == 128 + signal)
  }

  /// A terminal that was closed ended the process on the spot, and what it had begun stayed.
  @Test(arguments: [SIGINT, SIGTERM, SIGHUP])
  func `a signal in the middle of an import or an export leaves nothing behind`(signal: Int32) throws {
    try Shop.with { shop throws in
      // The signal must come before the work is done, also on a busy machine.
      let file = try shop.makeLargeFile(recordCount: 40_000)
      let temporary = shop.folder.appendingPathComponent("temporary")
      try FileManager.default.createDirectory(at: temporary, withIntermediateDirectories: false)
      let tandem = Tandem(environment: ["TMPDIR": temporary.path])
      func names(_ url: URL) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: url.path).sorted()
      }
      let store = shop.folder.appendingPathComponent("large.store").path
      let before = try names(shop.folder)
      try end(tandem.start("import", store, file), by: signal) {
        try names(shop.folder).contains { $0.hasSuffix(".partial") }
      }
      #expect(try names(shop.folder) == before && names(temporary).isEmpty)
      try tandem.run("import", store, file)
      #expect(try names(temporary).isEmpty)
      let full = try names(shop.folder)
      for form in [["out.sqlite"], ["--csv", "out"], ["--json-lines", "out.jsonl"]] {
        let place = shop.folder.appendingPathComponent(form[form.count - 1]).path
        let export =
          form.count == 1 ? try tandem.start("export", store, place) : try tandem.start("export", store, form[0], place)
        try end(export, by: signal) { try names(shop.folder).contains { $0.hasSuffix(".partial") } }
        #expect(try names(shop.folder) == full, "\(form)")
      }
    }
  }

  @Test(arguments: ["nothing", "shop.store", "text"]) func `what is no SQLite file is refused, and makes no store`(
    name: String
  ) throws {
    try Shop.with { shop throws in
      try Data("SQLite".utf8).write(to: shop.folder.appendingPathComponent("text"))
      let target = shop.folder.appendingPathComponent("new.store").path
      let outcome = try tandem.run("import", target, shop.folder.appendingPathComponent(name).path)
      #expect(outcome.status == 2)
      #expect(outcome.trouble.hasPrefix("tandem: ") && outcome.trouble.hasSuffix("\n"), "\(outcome)")
      #expect(!FileManager.default.fileExists(atPath: target))
    }
  }
}

/// Text that is no SQLite file.
struct TextImportCommandTests {
  private let tandem = Tandem()

  @Test func `CSV that export wrote comes back, and errors name the line and leave the store alone`() throws {
    try Shop.with { shop throws in
      let folder = shop.folder.appendingPathComponent("tables").path
      try tandem.run("export", shop.path, "--csv", folder)
      for name in ["List", "Tag", "Item"] {
        let outcome = try tandem.run("import", shop.path, "\(folder)/\(name).csv")
        #expect(outcome.status == 0 && outcome.output.hasPrefix("0 inserted, 0 updated, "), "\(outcome)")
      }
      let before = try tandem.run("dump", shop.path).output
      let file = shop.folder.appendingPathComponent("List.csv")
      try Data("name\nOffice\n\nFood,x\n".utf8).write(to: file)
      let outcome = try tandem.run("import", shop.path, file.path)
      #expect(outcome.status == 2)
      #expect(
        outcome.trouble
          == "tandem: line 4 has 2 fields and the first one 1: correct the line, nothing was imported\n")
      #expect(try tandem.run("dump", shop.path).output == before)
    }
  }

  @Test func `a new store is made of lines, and a dry run leaves nothing`() throws {
    try Shop.with { shop throws in
      let file = shop.folder.appendingPathComponent("prices.jsonl")
      try Data(#"{"name":"Bread","price":2.5}"#.utf8).write(to: file)
      let path = shop.folder.appendingPathComponent("new.store").path
      let dry = try tandem.run("import", path, file.path, "--entity", "Price", "--dry-run")
      #expect(dry.output == "1 inserted, 0 updated, 0 unchanged, nothing was saved\n", "\(dry)")
      #expect(!FileManager.default.fileExists(atPath: path))
      #expect(try tandem.run("import", path, file.path, "--entity", "Price").status == 0)
      let lines = try tandem.run("query", path, "Price", "--json", "--fields", "name,price").lines
      #expect(lines == [#"{"name":"Bread","price":2.5}"#])
    }
  }
}
