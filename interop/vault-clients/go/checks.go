package main

import (
	"errors"
	"fmt"
	"reflect"
	"strings"

	vault "github.com/hashicorp/vault/api"
)

// must ends the program where a call failed.
func must[T any](answer T, err error) T {
	if err != nil {
		fail(err)
	}
	return answer
}

// expect ends the program where an answer is not what it should be. Numbers of JSON compare by their text.
func expect(what string, actual, wanted any) {
	if reflect.DeepEqual(actual, wanted) || fmt.Sprint(actual) == fmt.Sprint(wanted) {
		return
	}
	fail(fmt.Errorf("%s: %v, where %v is due", what, actual, wanted))
}

// refused ends the program unless the call failed with this status and a text that holds these words.
func refused(what string, err error, status int, words string) {
	var answer *vault.ResponseError
	if !errors.As(err, &answer) {
		fail(fmt.Errorf("%s: %v, where a refusal is due", what, err))
	}
	expect(what+", its status", answer.StatusCode, status)
	if text := strings.Join(answer.Errors, "; "); !strings.Contains(text, words) {
		fail(fmt.Errorf("%s: %q, where %q is due", what, text, words))
	}
}
