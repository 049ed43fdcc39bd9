import CLMDB

/// Does logged commits again, in one commit, in an environment that nobody else uses yet.
struct RedoReplay {
  private let records: [RedoRecord]

  init(_ records: [RedoRecord]) { self.records = records }

  func run(in environment: OpaquePointer, directory: String) throws {
    let context = WriteContext(environment: environment, directory: directory, databases: DatabaseHandles())
    while true {
      try check(context.begin(), "write to the environment at \(directory)")
      do {
        for record in records { try Reader(record.changes).apply(to: WriteTransaction(context: context)) }
      } catch {
        context.abort()
        guard context.needsLargerMap else { throw error }
        try enlargeMap(of: environment, directory: directory)
        continue
      }
      let code = context.commit()
      if code == 0 { return }
      guard context.needsLargerMap else {
        throw LMDBError(returnCode: code, operation: "commit to the environment at \(directory)", directory: directory)
      }
      try enlargeMap(of: environment, directory: directory)
    }
  }

  private func enlargeMap(of environment: OpaquePointer, directory: String) throws {
    var information = MDB_envinfo()
    // Fails for a null environment only.
    mdb_env_info(environment, &information)
    try check(
      mdb_env_set_mapsize(environment, information.me_mapsize * 2), "resize the map of the environment at \(directory)")
  }
}

extension RedoReplay {
  /// Reads the bytes that ``RedoChanges`` wrote.
  private struct Reader {
    private let bytes: [UInt8]
    private var position = 0
    private var databases: [UInt32: Database] = [:]
    private var names: [UInt32: String] = [:]

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    consuming func apply(to transaction: borrowing WriteTransaction) throws {
      while position < bytes.count {
        guard let kind = RedoChanges.Kind(rawValue: try number()) else { throw Self.damaged }
        let handle: UInt32 = try number()
        switch kind {
        case .name: names[handle] = String(decoding: try take(Int(try number() as UInt16)), as: UTF8.self)
        case .create: databases[handle] = try transaction.createDatabase(named: try name(handle))
        case .empty: try transaction.removeAll(from: try database(handle, transaction))
        case .put:
          let key = try take(Int(try number() as UInt16))
          let value = try take(Int(try number() as UInt32))
          try transaction.put(try database(handle, transaction), key: Array(key), value: Array(value))
        case .delete:
          let key = try take(Int(try number() as UInt16))
          try transaction.delete(try database(handle, transaction), key: Array(key))
        }
      }
    }

    private func name(_ handle: UInt32) throws -> String {
      guard let name = names[handle] else { throw Self.damaged }
      return name
    }

    private mutating func database(
      _ handle: UInt32, _ transaction: borrowing WriteTransaction
    ) throws -> Database {
      if let known = databases[handle] { return known }
      let name = try name(handle)
      // It was there when the commit was logged, so it is there now: nothing is created.
      let found = name.isEmpty ? Database.main : try transaction.createDatabase(named: name)
      databases[handle] = found
      return found
    }

    private mutating func number<Integer: FixedWidthInteger>() throws -> Integer {
      let part = try take(MemoryLayout<Integer>.size)
      return part.reversed().reduce(0) { $0 << 8 | Integer(truncatingIfNeeded: $1) }
    }

    private mutating func take(_ count: Int) throws -> ArraySlice<UInt8> {
      guard position + count <= bytes.count else { throw Self.damaged }
      defer { position += count }
      return bytes[position..<position + count]
    }

    private static var damaged: LMDBError {
      LMDBError(
        .corrupted, operation: "do logged commits again",
        detail: "a record of the redo log makes no sense; keep the directory as it is, and report this")
    }
  }
}
