import Foundation
import RecordStore
import Testing

@testable import SQLiteBridge

/// Files of programs that know nothing of records.
struct PlainImportTests {
  private static let library = """
    CREATE TABLE author (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, born DATE)

    CREATE TABLE book (isbn TEXT PRIMARY KEY, price NUMERIC(10,2), author_id INTEGER REFERENCES author,
      bought BOOLEAN NOT NULL, sequelId TEXT REFERENCES book(isbn), written DATETIME, loose)

    CREATE TABLE tag (id INTEGER PRIMARY KEY, label TEXT)

    CREATE TABLE book_tag (book TEXT REFERENCES book(isbn), tag INTEGER REFERENCES tag(id), PRIMARY KEY (book, tag))

    CREATE VIEW cheap AS SELECT * FROM book WHERE price < 5

    INSERT INTO author VALUES (1, 'Ada', '1960-01-02'), (2, 'Ben', NULL)

    INSERT INTO book VALUES ('a', 12.5, 1, 1, NULL, '2020-01-01T10:00:00Z', 5), ('b', 3, 2, 0, 'a', NULL, 'five'),
      ('c', 0.1, 99, 0, NULL, NULL, NULL)

    INSERT INTO tag VALUES (1, 'old'), (2, 'new')

    INSERT INTO book_tag VALUES ('a', 1), ('a', 2), ('b', 2)
    """

  @Test func `tables become entities, and each column has the narrowest type that holds its values`() throws {
    try SQLiteFixture.with { fixture throws in
      let report = try fixture.importNew(fixture.make(Self.library))
      #expect(report.inserted == 7 && report.updated == 0)
      #expect(
        report.notes == [
          "book.loose: declared without a type, taken as string by its values", "cheap: a view, left out",
          "book.author_id: 1 values refer to rows that the file does not have, taken as null",
        ])
      #expect(
        try fixture.records("author") == [
          #"{"id":1,"name":"Ada","born":"1960-01-02T00:00:00Z"}"#, #"{"id":2,"name":"Ben","born":null}"#,
        ])
      #expect(
        try fixture.records("book") == [
          #"{"isbn":"a","price":"12.5","bought":true,"written":"2020-01-01T10:00:00Z","loose":"5"}"#,
          #"{"isbn":"b","price":"3","bought":false,"written":null,"loose":"five"}"#,
          #"{"isbn":"c","price":"0.1","bought":false,"written":null,"loose":null}"#,
        ])
    }
  }

  /// A new store got a type that its own values were refused by.
  @Test func `a column of several kinds with bytes among them holds the bytes of all`() throws {
    try SQLiteFixture.with { fixture throws in
      let file = try fixture.make("CREATE TABLE t (a)\n\nINSERT INTO t VALUES (x'ff'), ('x'), (1), (1.5), (NULL)")
      #expect(try fixture.importNew(file).inserted == 5)
      #expect(
        try fixture.records("t").sorted()
          == [#"{"a":"/w=="}"#, #"{"a":"MQ=="}"#, #"{"a":"MS41"}"#, #"{"a":"eA=="}"#, #"{"a":null}"#])
    }
  }

  @Test func `foreign keys become relationships with inverses, and a table of two keys a many-to-many one`() throws {
    try SQLiteFixture.with { fixture throws in
      try fixture.importNew(fixture.make(Self.library))
      #expect(try fixture.links("author", of: "book", named: "isbn", to: "name") == ["a > Ada", "b > Ben"])
      #expect(try fixture.links("books", of: "author", named: "name", to: "isbn") == ["Ada > a", "Ben > b"])
      #expect(try fixture.links("sequel", of: "book", named: "isbn", to: "isbn") == ["b > a"])
      #expect(try fixture.links("tags", of: "book", named: "isbn", to: "label") == ["a > new", "a > old", "b > new"])
      #expect(try fixture.links("books", of: "tag", named: "label", to: "isbn") == ["new > a", "new > b", "old > a"])
    }
  }

  @Test func `a foreign key leads to the row whose key SQLite holds to be equal`() throws {
    try SQLiteFixture.with { fixture throws in
      let report = try fixture.importNew(
        fixture.make(
          """
          CREATE TABLE author (id INTEGER PRIMARY KEY, name TEXT)

          CREATE TABLE shelf (code TEXT PRIMARY KEY COLLATE NOCASE, label TEXT UNIQUE COLLATE NOCASE)

          CREATE TABLE book (title TEXT, author TEXT REFERENCES author, shelf TEXT REFERENCES shelf,
            label TEXT REFERENCES shelf(label))

          CREATE TABLE author_shelf (author TEXT REFERENCES author, shelf TEXT REFERENCES shelf)

          INSERT INTO author VALUES (1, 'Ada'), (2, 'Ben')

          INSERT INTO shelf VALUES ('A', 'Top')

          INSERT INTO book VALUES ('x', '1', 'a', 'TOP'), ('y', ' 2', 'A', 'Top'), ('z', 'one', 'b', NULL)

          INSERT INTO author_shelf VALUES ('1', 'a'), ('2.0', 'A')
          """))
      #expect(
        report.notes == [
          "book.author: 1 values refer to rows that the file does not have, taken as null",
          "book.shelf: 1 values refer to rows that the file does not have, taken as null",
        ], "\(report.notes)")
      #expect(try fixture.links("author", of: "book", named: "title", to: "name") == ["x > Ada", "y > Ben"])
      #expect(try fixture.links("shelf", of: "book", named: "title", to: "code") == ["x > A", "y > A"])
      #expect(try fixture.links("label", of: "book", named: "title", to: "code") == ["x > A", "y > A"])
      #expect(try fixture.links("shelfs", of: "author", named: "name", to: "code") == ["Ada > A", "Ben > A"])
    }
  }

  @Test func `rows of a table of two keys that link nothing, or nothing new, are counted`() throws {
    try SQLiteFixture.with { fixture throws in
      let report = try fixture.importNew(
        fixture.make(
          """
          CREATE TABLE book (title TEXT PRIMARY KEY)

          CREATE TABLE tag (label TEXT PRIMARY KEY)

          CREATE TABLE book_tag (book TEXT REFERENCES book, tag TEXT REFERENCES tag)

          INSERT INTO book VALUES ('x'), ('y')

          INSERT INTO tag VALUES ('old'), ('new')

          INSERT INTO book_tag VALUES ('x', 'old'), ('x', 'old'), ('y', NULL), (NULL, NULL), ('x', 'new'), ('y', 'red')
          """))
      #expect(
        report.notes == [
          "book_tag: 2 rows with a null in a key, left out",
          "book_tag: 1 row with a key of no row in the file, left out",
          "book_tag: 1 row with the link of another row, taken once",
        ], "\(report.notes)")
      #expect(try fixture.links("tags", of: "book", named: "title", to: "label") == ["x > new", "x > old"])
    }
  }

  @Test func `numbers that no double holds together keep all their digits`() throws {
    try SQLiteFixture.with { fixture throws in
      let file = try fixture.make(
        """
        CREATE TABLE t (a, b, c DECIMAL, d DECIMAL)

        INSERT INTO t VALUES (9007199254740993, 9223372036854775807, 1e300, 1.5), (1.5, 1e300, 2, 9007199254740993)
        """)
      #expect(
        try fixture.importNew(file).notes == [
          "t.a: declared without a type, taken as decimal by its values",
          "t.b: declared without a type, taken as string by its values",
          "t.c: declared as DECIMAL, taken as double by its values",
        ])
      #expect(
        try fixture.records("t") == [
          #"{"a":"1.5","b":"1e+300","c":2.0,"d":"9007199254740993"}"#,
          #"{"a":"9007199254740993","b":"9223372036854775807","c":1e+300,"d":"1.5"}"#,
        ])
    }
  }

  @Test func `a key of values of several kinds is no unique text`() throws {
    try SQLiteFixture.with { fixture throws in
      let report = try fixture.importNew(
        fixture.make("CREATE TABLE t (a PRIMARY KEY, n)\n\nINSERT INTO t VALUES (2, 1), ('2', 2), (x'32', 3)"))
      #expect(report.inserted == 3)
      #expect(
        report.notes == [
          "t.a: declared without a type, taken as data by its values",
          "t.n: declared without a type, taken as int by its values",
          "t.a: unique in the file, and not in the store, because a value of another kind may have the same text",
        ], "\(report.notes)")
    }
  }

  @Test func `a column called rowid is no number of a row`() throws {
    try SQLiteFixture.with { fixture throws in
      let file = try fixture.make(
        "CREATE TABLE t (rowid TEXT, n INT)\n\nINSERT INTO t VALUES ('a', 1), ('a', 2), (NULL, 3)")
      #expect(try fixture.importNew(file).inserted == 3)
      let store = try RecordStore.open(fixture.configuration("new"))
      #expect(try SQLiteImport(file).enter(into: store).unchanged == 3)
      let hidden = try fixture.make(
        "CREATE TABLE t (rowid, OID, _rowid_)\n\nINSERT INTO t VALUES (1, 2, 3)", named: "b.sqlite")
      let error = #expect(throws: BridgeError.self) { try SQLiteImport(hidden) }
      #expect(
        error?.message
          == "the table 't' has no primary key, and columns hide the numbers of its rows: rename 'oid' in the file")
    }
  }

  @Test func `a second import changes what differs and adds what is new`() throws {
    try SQLiteFixture.with { fixture throws in
      let url = try fixture.make(Self.library)
      try fixture.importNew(url)
      let connection = try SQLiteConnection.creating(url.path)
      try connection.execute("UPDATE author SET born = '1961-01-01' WHERE id = 1")
      try connection.execute("INSERT INTO author VALUES (3, 'Cy', NULL)")
      try connection.execute("DELETE FROM book_tag WHERE tag = 2 AND book = 'a'")
      let store = try RecordStore.open(fixture.configuration("new"))
      let report = try SQLiteImport(url).enter(into: store)
      #expect(report.inserted == 1 && report.updated == 2 && report.unchanged == 5, "\(report)")
      #expect(try fixture.links("tags", of: "book", named: "isbn", to: "label") == ["a > old", "b > new"])
    }
  }

  @Test func `tables and columns find the entities and properties of a store by name`() throws {
    try SQLiteFixture.with { fixture throws in
      let schema = StoreSchema(entities: [
        EntityDefinition(
          name: "BookAuthor",
          attributes: [
            AttributeDefinition(name: "fullName", type: .string), AttributeDefinition(name: "born", type: .date),
            AttributeDefinition(name: "key", type: .uuid, isOptional: true),
          ])
      ])
      let store = try RecordStore.open(fixture.configuration("new"), schema: schema)
      let url = try fixture.make(
        """
        CREATE TABLE book_author (id INTEGER PRIMARY KEY, full_name TEXT, born INTEGER, "KEY" BLOB)

        CREATE TABLE other (id)

        INSERT INTO book_author VALUES (1, 'Ada', 86400, x'000102030405060708090a0b0c0d0e0f')
        """)
      let report = try SQLiteImport(url).enter(into: store)
      #expect(report.inserted == 1)
      #expect(
        report.notes == [
          "other: the store has no entity 'other', left out",
          "book_author.id: the store's entity 'BookAuthor' has no property for it, left out",
        ], "\(report.notes)")
      #expect(
        try fixture.records("BookAuthor") == [
          #"{"fullName":"Ada","born":"1970-01-02T00:00:00Z","key":"00010203-0405-0607-0809-0a0b0c0d0e0f"}"#
        ])
    }
  }

  @Test func `a column of a property's name goes before one of a name like it`() throws {
    try SQLiteFixture.with { fixture throws in
      let schema = StoreSchema(entities: [
        EntityDefinition(name: "Account", attributes: [AttributeDefinition(name: "username", type: .string)])
      ])
      let store = try RecordStore.open(fixture.configuration("new"), schema: schema)
      let url = try fixture.make(
        """
        CREATE TABLE account (user_name TEXT, username TEXT)

        INSERT INTO account VALUES ('wrong', 'right')
        """)
      let report = try SQLiteImport(url).enter(into: store)
      #expect(report.notes == ["account.user_name: the store's entity 'Account' has no property for it, left out"])
      #expect(try fixture.records("Account") == [#"{"username":"right"}"#])
    }
  }

  @Test func `a value that a property cannot hold is named by its row, and nothing is imported`() throws {
    try SQLiteFixture.with { fixture throws in
      let schema = StoreSchema(entities: [
        EntityDefinition(name: "t", attributes: [AttributeDefinition(name: "n", type: .int)])
      ])
      let store = try RecordStore.open(fixture.configuration("new"), schema: schema)
      let url = try fixture.make("CREATE TABLE t (n)\n\nINSERT INTO t VALUES (1), ('two')")
      let error = #expect(throws: BridgeError.self) { try SQLiteImport(url).enter(into: store) }
      #expect(error?.message == "row 2 of 't' has a value in 'n' that is no int: correct it in the file")
      #expect(try fixture.records("t").isEmpty)
    }
  }

  @Test func `what is committed to the write-ahead log counts, and the original is only read`() throws {
    try SQLiteFixture.with { fixture throws in
      let url = try fixture.make("CREATE TABLE t (name TEXT)\n\nINSERT INTO t VALUES ('main')")
      let writer = try SQLiteConnection.creating(url.path)
      _ = try writer.rows("PRAGMA journal_mode = WAL")
      try writer.execute("INSERT INTO t VALUES ('log')")
      let before = try ["", "-wal"].map { try Data(contentsOf: URL(fileURLWithPath: url.path + $0)) }
      #expect(!before[1].isEmpty)
      #expect(try fixture.importNew(url).inserted == 2)
      #expect(try ["", "-wal"].map { try Data(contentsOf: URL(fileURLWithPath: url.path + $0)) } == before)
      withExtendedLifetime(writer) {}
    }
  }
}
