import Foundation
import RecordStore

private func directory(_ arguments: [String]) -> URL { URL(fileURLWithPath: arguments[0], isDirectory: true) }

/// `<directory>`: holds the writer lock until it hears something.
func holdWriterLock(_ arguments: [String]) throws {
  try WriterLock(store: directory(arguments)).withLock(timeoutSeconds: 5) {
    say("held")
    hear()
  }
}

/// `<directory>`: stands still in the middle of a save until it hears something.
func standInASave(_ arguments: [String]) throws {
  let store = try RecordStore.open(StoreConfiguration(url: directory(arguments)))
  _ = try store.commit { _ in
    say("saving")
    hear()
    return (SaveRequest(), ())
  }
}

/// `<directory> <rounds>`: raises the number in the file `number` under the lock, again and again without a pause.
func contendForWriterLock(_ arguments: [String]) throws {
  let lock = try WriterLock(store: directory(arguments))
  let file = directory(arguments).appendingPathComponent("number")
  for _ in 0..<(Int(arguments[1]) ?? 0) {
    try lock.withLock(timeoutSeconds: 30) {
      let number = Int(String(decoding: try Data(contentsOf: file), as: UTF8.self)) ?? 0
      try Data("\(number + 1)".utf8).write(to: file)
    }
  }
  say("done")
}

/// `<directory>`: posts a notice for each number it hears.
func postNotice(_ arguments: [String]) throws {
  let notice = try ChangeNoticeFile(store: directory(arguments))
  while let line = hear(), let transactionID = UInt64(line) {
    try notice.post(transactionID: transactionID)
    say("posted")
  }
}
