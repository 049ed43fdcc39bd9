import Foundation
import RecordStore
import ScenarioRunner

extension FieldValue {
  /// A large value in the form in which the simulator compares it, whatever form a store gives it: by its name. So one
  /// that has not come yet is equal to itself. All other values stay.
  var named: FieldValue {
    guard case .data(let data) = self, ExternalReference(stored: self) == nil, let name = ExternalReference(of: data)
    else { return self }
    return .data(Data(name.payload))
  }

  /// The value that a history's text for a file stands for, by its name.
  init(file text: String) {
    guard let repeated = RepeatedByte(text) else { preconditionFailure("\(text) is no file of a history") }
    self = FieldValue.data(repeated.data).named
  }
}
