import Foundation
import RecordStore
import StoreInspection
import TestSupport
import Testing

@testable import SQLiteBridge

/// Files that somebody made to do harm, or that are damaged.
struct HostileFileTests {
  @Test func `triggers, views and virtual tables of a file do not run`() throws {
    try SQLiteFixture.with { fixture throws in
      let url = try fixture.make(
        """
        CREATE TABLE t (name TEXT)

        INSERT INTO t VALUES ('a')

        CREATE VIEW v AS SELECT load_extension('evil') FROM t

        CREATE TRIGGER r INSTEAD OF INSERT ON v BEGIN DELETE FROM t; END
        """)
      let connection = try SQLiteCopy(url).open()
      #expect(#expect(throws: BridgeError.self) { try connection.rows("SELECT * FROM v") }?.code == .inputOutput)
      for text in ["INSERT INTO t VALUES ('b')", "ATTACH '/tmp/other' AS other"] {
        #expect(#expect(throws: BridgeError.self) { try connection.execute(text) }?.code == .inputOutput, "\(text)")
      }
      let report = try fixture.importNew(url)
      #expect(report.inserted == 1 && report.notes == ["v: a view, left out"])
    }
  }

  @Test func `a pipe, a folder and a file that is not there are told, and nothing waits`() throws {
    try SQLiteFixture.with { fixture throws in
      let pipe = fixture.folder.appendingPathComponent("pipe")
      #expect(mkfifo(pipe.path, 0o600) == 0)
      for (url, words) in [
        (pipe, "is no file"), (fixture.folder, "is no file"),
        (fixture.folder.appendingPathComponent("nothing"), "there is no file"),
      ] {
        let errors = [
          #expect(throws: BridgeError.self) { try SQLiteImport(url) },
          #expect(throws: BridgeError.self) { try TextImport(csv: url) },
          #expect(throws: BridgeError.self) { try TextImport(jsonLines: url) },
        ]
        for error in errors { #expect(error?.message.contains(words) == true, "\(error?.message ?? "")") }
      }
    }
  }

  @Test func `a log beside the file that is a link or a pipe is refused, and its target stays as it was`() throws {
    try SQLiteFixture.with { fixture throws in
      let url = try fixture.make("CREATE TABLE t (a)")
      let other = fixture.folder.appendingPathComponent("other")
      try Data("mine".utf8).write(to: other)
      for suffix in ["-wal", "-journal"] {
        let log = URL(fileURLWithPath: url.path + suffix)
        try FileManager.default.createSymbolicLink(at: log, withDestinationURL: other)
        #expect(#expect(throws: BridgeError.self) { try SQLiteImport(url) }?.code == .inputOutput)
        try FileManager.default.removeItem(at: log)
        #expect(mkfifo(log.path, 0o600) == 0)
        #expect(#expect(throws: BridgeError.self) { try SQLiteImport(url) }?.code == .inputOutput)
        try FileManager.default.removeItem(at: log)
      }
      #expect(try Data(contentsOf: other) == Data("mine".utf8))
    }
  }

  @Test func `names with quotes, empty ones and those that a store keeps for itself are taken`() throws {
    try SQLiteFixture.with { fixture throws in
      let url = try fixture.make(
        #"""
        CREATE TABLE "a""b';--" ("x""y" TEXT, "" TEXT, "~z" TEXT, ".class" TEXT, "rowid" TEXT)

        INSERT INTO "a""b';--" VALUES ('1', '2', '3', '4', '5')
        """#)
      try fixture.importNew(url)
      #expect(
        try fixture.records(#"a"b';--"#) == [#"{"x\"y":"1","_":"2","_~z":"3","_.class":"4","rowid":"5"}"#])
    }
  }

  /// To Swift a quote and the accent behind it are one character.
  @Test func `quotes in names count also before an accent`() throws {
    try SQLiteFixture.with { fixture throws in
      let name = "a\"\u{301} WHERE 0;--"
      let url = try fixture.make(
        """
        CREATE TABLE "a""\u{301} WHERE 0;--" ("x""\u{301}y" TEXT)

        INSERT INTO "a""\u{301} WHERE 0;--" VALUES ('1')
        """)
      try fixture.importNew(url)
      #expect(try fixture.records(name) == ["{\"x\\\"\u{301}y\":\"1\"}"])
    }
  }

  @Test func `two thousand columns and rows that refer to each other in a ring are taken`() throws {
    try SQLiteFixture.with { fixture throws in
      let columns = (0..<2000).map { "c\($0) INTEGER" }.joined(separator: ", ")
      let url = try fixture.make(
        """
        CREATE TABLE wide (\(columns))

        INSERT INTO wide (c0, c1999) VALUES (1, 2)

        CREATE TABLE ring (name TEXT PRIMARY KEY, next TEXT NOT NULL REFERENCES ring(name))

        INSERT INTO ring VALUES ('a', 'b'), ('b', 'c'), ('c', 'a')
        """)
      #expect(try fixture.importNew(url).inserted == 4)
      #expect(try fixture.records("wide")[0].hasSuffix("\"c1999\":2}"))
      #expect(
        try fixture.links("next", of: "ring", named: "name", to: "name") == ["a > b", "b > c", "c > a"])
    }
  }

  @Test func `text that is no UTF-8 and text with a NUL`() throws {
    try SQLiteFixture.with { fixture throws in
      let good = try fixture.make("CREATE TABLE t (a TEXT)\n\nINSERT INTO t VALUES ('a' || char(0) || 'b')")
      try fixture.importNew(good)
      #expect(try fixture.records("t") == [#"{"a":"a\u0000b"}"#])
      let bad = try fixture.make(
        "CREATE TABLE t (a TEXT)\n\nINSERT INTO t VALUES (CAST(x'ff41' AS TEXT))", named: "bad.sqlite")
      let error = #expect(throws: BridgeError.self) { try fixture.importNew(bad, named: "bad") }
      #expect(error?.message.contains("holds a text that is not UTF-8") == true)
    }
  }

  @Test func `a damaged file gives an error or what is left, and never ends the process`() throws {
    try SQLiteFixture.with { fixture throws in
      let url = try fixture.make(
        """
        CREATE TABLE t (id INTEGER PRIMARY KEY, a TEXT REFERENCES t)

        WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 500)
        INSERT INTO t SELECT i, printf('%050d', i) FROM n
        """)
      let whole = try Data(contentsOf: url)
      var random = SeededGenerator(seed: 7)
      var refused = 0
      for round in 0..<60 {
        var bytes = whole
        if round.isMultiple(of: 3) { bytes = bytes.prefix(Int.random(in: 0..<bytes.count, using: &random)) }
        for _ in 0..<8 where !bytes.isEmpty {
          bytes[Int.random(in: 0..<bytes.count, using: &random)] = UInt8.random(in: 0...255, using: &random)
        }
        let damaged = fixture.folder.appendingPathComponent("damaged-\(round).sqlite")
        try bytes.write(to: damaged)
        do { try fixture.importNew(damaged, named: "\(round)") } catch { refused += 1 }
      }
      #expect(refused > 20, "seed 7")
    }
  }

  @Test func `an export's catalogue that contradicts itself, or of a later format, is refused`() throws {
    try SQLiteFixture.with { fixture throws in
      for (number, values) in ["1, '{}'", "1, 'x'", "2, '{}'", "NULL, NULL", "1, x'00'"].enumerated() {
        let url = try fixture.make(
          "CREATE TABLE tandem_export (format, catalogue)\n\nINSERT INTO tandem_export VALUES (\(values))",
          named: "\(number).sqlite")
        let error = #expect(throws: BridgeError.self) { try SQLiteImport(url) }
        #expect(error?.code == .notUnderstood, "\(values)")
      }
    }
  }

  @Test func `a catalogue whose numbers are changed is refused or taken, and never ends the process`() throws {
    try SQLiteFixture.with { fixture throws in
      let store = try RecordStore.open(fixture.configuration("given"), schema: GoldenExportTests.schema)
      let catalogue = try JSON(encoding: store.read { $0.catalogue }).description
      let url = fixture.folder.appendingPathComponent("given.sqlite")
      _ = try SQLiteExport.write(store, to: url)
      var random = SeededGenerator.announced()
      for round in 0..<150 {
        var text = Array(catalogue.utf8)
        let digits = text.indices.filter { (0x30...0x39).contains(text[$0]) }
        for _ in 0..<Int.random(in: 1...2, using: &random) {
          text[digits.randomElement(using: &random) ?? 0] = UInt8.random(in: 0x30...0x39, using: &random)
        }
        let connection = try SQLiteConnection.creating(url.path)
        _ = try connection.rows(
          "UPDATE tandem_export SET catalogue = ?", [.text(String(decoding: text, as: UTF8.self))])
        do {
          try fixture.importNew(url, named: "\(round)")
        } catch {
          #expect(error is BridgeError || error is StoreError || error is InspectionError, "\(error)")
        }
      }
    }
  }
}
