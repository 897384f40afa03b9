// Renders a Helm chart as `helm template` does: Go templates with the functions of Sprig and those that Helm adds. Debian
// has no Helm, but has what Helm is made of. Reads {"chart", "release", "namespace", "values"} from standard input; the values
// are complete. Prints each rendered file under its name, as JSON.
package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"text/template"

	"github.com/Masterminds/sprig"
	"gopkg.in/yaml.v3"
)

type input struct {
	Chart, Release, Namespace string
	Values                    map[string]any
}

type metadata struct {
	Name       string `yaml:"name"`
	Version    string `yaml:"version"`
	AppVersion string `yaml:"appVersion"`
}

// The files of the chart beside its templates.
type files struct{ folder string }

func (f files) Get(name string) (string, error) {
	text, err := os.ReadFile(filepath.Join(f.folder, name))
	return string(text), err
}

func main() {
	var in input
	check(json.NewDecoder(os.Stdin).Decode(&in))
	var chart metadata
	text, err := os.ReadFile(filepath.Join(in.Chart, "Chart.yaml"))
	check(err)
	check(yaml.Unmarshal(text, &chart))

	set := template.New("").Option("missingkey=zero")
	functions := sprig.TxtFuncMap()
	delete(functions, "env")
	delete(functions, "expandenv")
	functions["toYaml"] = toYaml
	functions["include"] = func(name string, data any) (string, error) {
		var out bytes.Buffer
		err := set.ExecuteTemplate(&out, name, data)
		return out.String(), err
	}
	functions["required"] = func(message string, value any) (any, error) {
		if value == nil || value == "" {
			return nil, errors.New(message)
		}
		return value, nil
	}
	set.Funcs(functions)

	paths, err := filepath.Glob(filepath.Join(in.Chart, "templates", "*"))
	check(err)
	for _, path := range paths {
		text, err := os.ReadFile(path)
		check(err)
		_, err = set.New(filepath.Base(path)).Parse(string(text))
		check(err)
	}
	data := map[string]any{
		"Values":  in.Values,
		"Chart":   chart,
		"Files":   files{in.Chart},
		"Release": map[string]any{"Name": in.Release, "Namespace": in.Namespace, "Service": "Helm"},
	}
	rendered := map[string]string{}
	for _, path := range paths {
		name := filepath.Base(path)
		if strings.HasPrefix(name, "_") {
			continue
		}
		var out bytes.Buffer
		check(set.ExecuteTemplate(&out, name, data))
		rendered[name] = strings.ReplaceAll(out.String(), "<no value>", "")
	}
	check(json.NewEncoder(os.Stdout).Encode(rendered))
}

func toYaml(value any) (string, error) {
	text, err := yaml.Marshal(value)
	return strings.TrimSuffix(string(text), "\n"), err
}

func check(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
