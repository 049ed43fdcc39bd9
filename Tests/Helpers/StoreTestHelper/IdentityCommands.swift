import Foundation
import RecordStore

/// `<store> <serial> <stop>`: waits for a line, saves one transfer, notes outside the store that it may be exported,
/// and says the serial and the store's replica id. Kills itself at the step with the number `stop`, counted from 0.
func saveAndExport(_ arguments: [String]) throws {
  guard arguments.count == 3, let serial = Int64(arguments[1]), let stop = Int(arguments[2]) else {
    throw Failure("save-and-export takes a store, a serial and a step")
  }
  say("ready")
  hear()
  do {
    try Interruption.$plan.withValue(Interruption.Plan(at: stop)) {
      let bank = try Bank(path: arguments[0])
      try bank.transfer(writer: 1, serial: serial)
      say("\(serial)")
      let (replica, sequence) = try bank.store.read { snapshot in
        (try snapshot.replica, try snapshot.versionVector.sequence(of: snapshot.replica))
      }
      try bank.store.noteExport(through: sequence)
      say("replica \(replica)")
    }
  } catch is Interruption.Stop {
    kill(getpid(), SIGKILL)
  }
}
