variable "needed" { type = string } # ERROR: The variable "needed" has no default

variable "n" {
  type    = number
  default = "many" # ERROR: The default of variable "n" does not match its type, number: a number is required
}
variable "t" {
  type    = strin # ERROR: The keyword "strin" is not a valid type specification
  default = 3
}
variable "r" {
  default = var.n # ERROR: "var" cannot be used here: a plain value is required
}
variable "n" {} # ERROR: There is a variable "n" already
variable "port" { # ERROR: Ports are below 65536.
  default = 70000
  validation {
    condition     = var.port < 65536
    error_message = "Ports are below 65536."
  }
}
variable "validated" {
  default = 1
  validation { # ERROR: The argument "error_message" is required
    condition = var.validated == 1
  }
}
