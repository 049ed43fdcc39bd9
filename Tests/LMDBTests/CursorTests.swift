import LMDB
import Testing

struct CursorTests {
  private func withLetters(_ body: (borrowing Cursor) throws -> Void) throws {
    try withEnvironment { environment in
      let database = try environment.write { transaction in
        let database = try transaction.createDatabase(named: "letters")
        for letter in ["b", "d", "f"] { try transaction.put(database, key: letter.bytes, value: [1]) }
        return database
      }
      try environment.read { transaction in
        let cursor = try transaction.view.cursor(database)
        try body(cursor)
      }
    }
  }

  @Test func `a cursor walks forwards and backwards in key order`() throws {
    try withLetters { (cursor: borrowing Cursor) throws in
      #expect(try cursor.next()?.key.text == "b")
      #expect(try cursor.next()?.key.text == "d")
      #expect(try cursor.next()?.key.text == "f")
      #expect(try cursor.next() == nil)
      #expect(try cursor.last()?.key.text == "f")
      #expect(try cursor.previous()?.key.text == "d")
      #expect(try cursor.first()?.key.text == "b")
      #expect(try cursor.previous() == nil)
    }
  }

  @Test(arguments: ["a", "b", "c", "d", "e", "f", "g"])
  func `seeking finds the neighbours of any key`(text: String) throws {
    let letters = ["b", "d", "f"]
    try withLetters { (cursor: borrowing Cursor) throws in
      let (exact, following, preceding) = try text.bytes.withRawBytes { key in
        (
          try cursor.seek(exactly: key)?.key.text, try cursor.seek(key)?.key.text,
          try cursor.seek(before: key)?.key.text
        )
      }
      #expect(exact == letters.first { $0 == text })
      #expect(following == letters.first { $0 >= text })
      #expect(preceding == letters.last { $0 < text })
    }
  }

  @Test func `an empty database has no first and no last entry`() throws {
    try withEnvironment { environment in
      try environment.write { transaction in
        let cursor = try transaction.view.cursor(try transaction.createDatabase(named: "letters"))
        #expect(try cursor.first() == nil)
        #expect(try cursor.last() == nil)
        #expect(try cursor.seek("a".bytes) == nil)
      }
    }
  }

  @Test func `a cursor follows what its write transaction puts and deletes`() throws {
    try withEnvironment { environment in
      try environment.write { transaction in
        let database = try transaction.createDatabase(named: "letters")
        for letter in ["a", "b", "c"] { try transaction.put(database, key: letter.bytes, value: []) }
        let cursor = try transaction.view.cursor(database)
        #expect(try cursor.first()?.key.text == "a")
        try transaction.delete(database, key: "a".bytes)
        #expect(try cursor.next()?.key.text == "b")
        try transaction.put(database, key: "bb".bytes, value: [])
        #expect(try cursor.next()?.key.text == "bb")
      }
    }
  }
}
